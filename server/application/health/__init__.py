"""The health of the server and its machine, as numbers and sentences for the operator."""
