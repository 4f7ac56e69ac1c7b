"""The declarations of the commands: words, parameters and help; what they do lies in the modules beside."""
