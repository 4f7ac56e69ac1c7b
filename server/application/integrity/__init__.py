"""The integrity of what is stored: keys, a restored database, and what games over leave behind."""
