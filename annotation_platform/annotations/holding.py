"""The mark of a form: who sends it held the task, and in which of their attempts."""

from django.core.signing import Signer

from annotation_platform.core.errors import ConflictError
from annotation_platform.studies.models import Assignment, Member

_holders = Signer(salt="annotations.holder")


class EarlierAttemptError(ConflictError):
    """Something of an earlier attempt of somebody's, which they cannot change any more."""

    def __init__(self) -> None:
        super().__init__("annotations.earlier_attempt")


def proof_of(assignment: Assignment, annotator: Member, attempt: int | None = None) -> str:
    """A mark for the form: who sends it held this assignment, even if somebody else has it by then; another one in
    each attempt, which may get the same place. ``attempt``: which, the present one unless it is given."""
    attempt = annotator.replicate if attempt is None else attempt
    return _holders.signature(f"{assignment.pk}:{annotator.pk}" + (f":{attempt}" if attempt else ""))


def attempt_of(assignment: Assignment, annotator: Member, proof: str) -> int:
    """The attempt in which a form got its mark; the present one where it has none, or one that is of no attempt."""
    now = annotator.replicate
    return next((each for each in range(now) if proof_of(assignment, annotator, each) == proof), now)


def check_attempt(assignment: Assignment, annotator: Member, proof: str) -> None:
    """``proof``: the mark of the form, "" where it has none. One that is of no attempt is no reason to lose what was
    typed: the platform's key can have been changed since the page was loaded.

    Raises
    ------
    EarlierAttemptError
        When what somebody typed in a place of theirs is of an earlier attempt: it would appear in the present one,
        which has the same items.
    """
    now = annotator.replicate
    if assignment.replicate != now or attempt_of(assignment, annotator, proof) != now:
        raise EarlierAttemptError
