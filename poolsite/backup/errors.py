"""What stops a backup or a restore."""


class BackupError(Exception):
    """It cannot be done; the text is one or two sentences with the remedy."""
