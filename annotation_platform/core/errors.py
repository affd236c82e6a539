"""What can go wrong in the platform's own terms. ``annotation_platform/middleware.py`` turns these into responses."""

from collections.abc import Sequence
from typing import Any

from annotation_platform.core.reasons import Reason


class CodedError(Exception):
    """An error whose message is the sentence of a code, with what its sentence names.

    ``reason`` keeps code and parameters, so that an edge can tell it in its reader's language. A reason that was made
    elsewhere is taken as it is.
    """

    def __init__(self, code: str, /, **parameters: Any) -> None:
        self.reason = code if isinstance(code, Reason) else Reason(code, **parameters)
        super().__init__(self.reason)


class DomainError(CodedError):
    """Something asked for cannot be done. The message is for the person who asked: what, where, what to do."""


class NotThereError(DomainError):
    """What was asked for does not exist, or is not for this person to see."""


class ConflictError(DomainError):
    """The world has moved on since the page was loaded: somebody else, another tab, or time was faster."""


class InvalidInputError(DomainError):
    """What was sent cannot be accepted as it is. ``reasons`` has one line for each mistake."""

    def __init__(self, code: str, /, reasons: Sequence[str] = (), **parameters: Any) -> None:
        self.reasons = list(reasons)
        super().__init__(code, **parameters)
