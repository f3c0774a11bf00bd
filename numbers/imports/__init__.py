"""Numbers from a CSV or XLSX file: read, shown before, taken in chunks, undone as a whole.

`table` reads the rows, `preview` judges them, `staging` and `work` hold what the jobs do; the
use cases stand in numbers/services/imports.py.
"""
