"""The parts of campaigns: reachable numbers, recipient files, quiet hours, figures.

Values and files only. The use cases are in billing/services/campaigns*.py and sending*.py.
"""
