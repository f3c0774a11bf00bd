"""What can go wrong for a peer."""


class DispatchError(Exception):
    """The mother of them all."""


class NotLinkedError(DispatchError):
    """There was no link to the dispatcher in the time that the caller gave."""


class StoppedError(DispatchError):
    """The peer was stopped, by its owner or for good by the dispatcher."""


class RefusedError(StoppedError):
    """The dispatcher will not have this peer: do not come again before something has changed.

    `code` is the socket's close code, `reason` its words.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}".strip())
        self.code = code
        self.reason = reason


class NotStartedError(DispatchError):
    """The dispatcher did not take a `start`; `reason` is why. There is no such session."""

    def __init__(self, session: str, reason: str) -> None:
        super().__init__(f"{session}: {reason}")
        self.session = session
        self.reason = reason


class UnknownOutcomeError(DispatchError):
    """Nobody knows whether a session began; `reason` is why."""

    def __init__(self, session: str, reason: str) -> None:
        super().__init__(f"{session}: {reason}")
        self.session = session
        self.reason = reason
