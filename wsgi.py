"""The application for a WSGI server that is not ours."""

from server.app import wsgi

app = wsgi()
