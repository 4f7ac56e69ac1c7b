"""The WSGI application: `gunicorn wsgi:app`."""

from server.app import wsgi

app = wsgi()
