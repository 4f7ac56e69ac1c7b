"""The library of SQLite: that of the package `pysqlite3` where it is installed, else that of Python.

Python takes the library of the machine, which may be years old and then cannot have a write-ahead log, see
`server.runtime.DatabaseHabits`. All that open the database take this one.
"""

try:
    from pysqlite3 import dbapi2 as sqlite3
except ImportError:
    import sqlite3
