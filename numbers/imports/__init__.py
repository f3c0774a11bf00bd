"""Numbers from a CSV or XLSX file: read, previewed, imported in chunks, undone as a whole.

`table` reads the rows, `preview` judges them, `staging` and `work` do the work of the jobs. The use
cases are in numbers/services/imports.py.
"""
