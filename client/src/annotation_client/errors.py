"""What can go wrong: one kind of error for each way in which a program goes on after it."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

SHOWN = 20
IN_FLIGHT = "api.key_in_flight"


class Mistake(NamedTuple):
    """One mistake in what was sent: the line of a file, the field, and what is wrong, for people and programs."""

    line: int | None
    field: str
    detail: str
    code: str

    def __str__(self) -> str:
        place = ", ".join(filter(None, (f"line {self.line}" if self.line else "", self.field)))
        return f"{place}: {self.detail}" if place else self.detail


class AnnotationError(Exception):
    """Whatever this package raises by itself."""


class AnnotationWarning(UserWarning):
    """The platform took what was sent, but left something out, or it is perhaps not meant."""


class UnreachableError(AnnotationError):
    """There was no answer, however often it was tried."""


class WaitedTooLongError(AnnotationError):
    """What was waited for did not happen in the time that was given."""


class JobFailedError(AnnotationError):
    """A long job failed, was paused, or waits for a person."""


class ReleaseDiffersError(AnnotationError):
    """The files of a release are not as they were frozen."""


class ProblemError(AnnotationError):
    """The platform said no (RFC 9457).

    Attributes
    ----------
    status : int
        Of the reply.
    code, parameters : str, dict
        For programs; they stay the same.
    detail : str
        A sentence for people.
    mistakes : tuple of Mistake
        One for each row or field that is wrong.
    answer_was_lost : bool
        Whether this is the answer to a request that was sent before and got none, so that it may have been done then.
    is_repeated : bool
        Whether this is the answer of before, which the platform gives again to the same idempotency key for a day.
    retry_after : float
        Seconds after which it may be asked again; 0: nothing was said of that.
    """

    def __init__(
        self,
        status: int,
        body: Mapping[str, Any],
        *,
        answer_was_lost: bool = False,
        is_repeated: bool = False,
        retry_after: float = 0.0,
    ) -> None:
        self.status, self.answer_was_lost, self.is_repeated = status, answer_was_lost, is_repeated
        self.retry_after = retry_after
        self.code = str(body.get("code", ""))
        self.detail = str(body.get("detail", ""))
        self.parameters: Mapping[str, Any] = body.get("parameters") or {}
        self.mistakes = tuple(
            Mistake(
                each.get("line"), str(each.get("field", "")), str(each.get("detail", "")), str(each.get("code", ""))
            )
            for each in body.get("errors") or ()
        )
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        shown = [str(each) for each in self.mistakes[:SHOWN]]
        if (more := len(self.mistakes) - SHOWN) > 0:
            shown.append(f"… and {more} more")
        return "\n".join([self.detail or f"The platform answered with status {self.status}.", *shown])


class TokenError(ProblemError):
    """The token is missing, not valid, or not enough (401, 403)."""


class NotThereError(ProblemError):
    """There is nothing of that name, or it is not for the token's owner to see (404)."""


class ConflictError(ProblemError):
    """Somebody was faster, or it has changed since it was read (409, 412)."""


class LostAnswerError(ConflictError):
    """The answer to a change was lost, and it cannot be told whether it was made before somebody changed it further.

    ``found`` is what is there now: look at it, and change it again if it is not as it should be.
    """

    def __init__(self, refused: ProblemError, found: Mapping[str, Any]) -> None:
        self.found = found
        detail = (
            "The answer to this change was lost. When it was sent again, what it was to change was another one than "
            "was read: because it was made, or because of somebody else. Read it, and change it again if need be."
        )
        body = {"code": refused.code, "parameters": refused.parameters, "detail": detail}
        super().__init__(refused.status, body, answer_was_lost=True)


class NotAcceptedError(ProblemError):
    """What was sent cannot be accepted; ``mistakes`` says why (400, 413, 415, 422)."""


class BusyError(ProblemError):
    """Too many requests, a busy database (429, 503), or the same request still at work, however long was waited."""


class BrokenError(ProblemError):
    """Something went wrong on the platform's side (5xx)."""


KINDS = {
    **dict.fromkeys((401, 403), TokenError),
    404: NotThereError,
    **dict.fromkeys((409, 412), ConflictError),
    **dict.fromkeys((400, 413, 415, 422, 428), NotAcceptedError),
    **dict.fromkeys((429, 503), BusyError),
}


def tell_warnings(sentences: Iterable[str], *, caller: int = 3) -> None:
    """Warn of each; ``caller`` counts the calls up to the line that the warning is about."""
    for sentence in sentences:
        warnings.warn(sentence, AnnotationWarning, stacklevel=caller)


def problem(status: int, body: Any, **how: Any) -> ProblemError:
    """The error for a reply that is none of success."""
    said = body if isinstance(body, Mapping) else {}
    kind = KINDS.get(status, BrokenError if status >= 500 else ProblemError)
    if said.get("code") == IN_FLIGHT:
        kind = BusyError
    return kind(status, said, **how)
