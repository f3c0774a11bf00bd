"""The program that reads an uploaded CSV or XLSX file, in a process of its own.

`poolsite.table_files` starts it. Only the standard library may be imported here: the program starts
in a few hundredths of a second and has neither Django nor secrets in its memory.
"""
