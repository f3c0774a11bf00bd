"""Errors that stop a backup or a restore."""


class BackupError(Exception):
    """The backup or restore is not possible; the text is one or two sentences with the remedy."""
