"""What sending to many is made of: reachable numbers, recipient files, quiet hours, figures.

Values and files only; the use cases stand in billing/services/campaigns*.py and sending*.py.
"""
