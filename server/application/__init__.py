"""The use cases. REST, mail, the worker and the command line call these and nothing below them."""
