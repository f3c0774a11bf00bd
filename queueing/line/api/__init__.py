"""The public API of the line: for visitors' pages, agents' pages and external ACDs."""
