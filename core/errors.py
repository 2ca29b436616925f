"""The exceptions a user can meet: what was given, what is allowed, what to do."""


class ShotlistError(Exception):
    """Base of all errors that Shotlist raises on purpose."""


class InvalidInput(ShotlistError):
    """The user's mistake: shown as one sentence, exit status 2."""


class WorkspaceBusy(InvalidInput):
    """Another process owns the workspace."""


class StaleRevision(InvalidInput):
    """A demonstration was changed by someone else since it was read; nothing was written."""


class QueryTooLong(InvalidInput):
    """A query does not fit a language model's window, even with nothing before it."""


class NotComputed(ShotlistError):
    """What only a language model can compute is not stored yet, and here it may not be computed."""


class Cancelled(ShotlistError):
    """The user stopped a long computation; what was committed before stays."""
