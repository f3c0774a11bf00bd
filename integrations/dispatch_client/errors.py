"""The errors of a peer."""


class DispatchError(Exception):
    """The base class of all errors of this package."""


class NotLinkedError(DispatchError):
    """The peer had no link to the dispatcher within the time that the caller gave."""


class StoppedError(DispatchError):
    """The peer was stopped, either by its owner or because the dispatcher refused it for good."""


class RefusedError(StoppedError):
    """The dispatcher refuses this peer. Don't connect again before something has changed.

    `code` is the close code of the socket, `reason` is its reason text.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}".strip())
        self.code = code
        self.reason = reason


class NotStartedError(DispatchError):
    """The dispatcher did not accept a `start`; `reason` states why. The session does not exist."""

    def __init__(self, session: str, reason: str) -> None:
        super().__init__(f"{session}: {reason}")
        self.session = session
        self.reason = reason


class UnknownOutcomeError(DispatchError):
    """It is unknown whether a session began; `reason` states why."""

    def __init__(self, session: str, reason: str) -> None:
        super().__init__(f"{session}: {reason}")
        self.session = session
        self.reason = reason
