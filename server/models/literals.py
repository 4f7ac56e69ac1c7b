"""States of rows that statements compare with, written into them.

Only with a literal does a database use a partial index: of armed rows, or of games that are not over. And where a
column of such an index is compared with a parameter, SQLite prepares the statement again at each use.
"""

from sqlalchemy import ColumnElement, literal_column

ARMED: ColumnElement[str] = literal_column("'armed'")
FIRED: ColumnElement[str] = literal_column("'fired'")
HELD: ColumnElement[str] = literal_column("'held'")
OPEN: ColumnElement[str] = literal_column("'open'")
OVER: ColumnElement[str] = literal_column("'over'")
PENDING: ColumnElement[str] = literal_column("'pending'")
