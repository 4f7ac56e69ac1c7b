"""What is said of a request, a mail or a command while its database goes away around the commit."""
