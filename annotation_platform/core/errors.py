"""What can go wrong in the platform's own terms. ``annotation_platform/middleware.py`` turns these into responses."""


class DomainError(Exception):
    """Something asked for cannot be done. The message is for the person who asked: what, where, what to do."""


class NotThereError(DomainError):
    """What was asked for does not exist, or is not for this person to see."""


class ConflictError(DomainError):
    """The world has moved on since the page was loaded: somebody else, another tab, or time was faster."""


class InvalidInputError(DomainError):
    """What was sent cannot be accepted as it is. ``reasons`` has one line for each mistake."""

    def __init__(self, message: str, reasons: list[str] | None = None) -> None:
        self.reasons = reasons or []
        super().__init__(message)
