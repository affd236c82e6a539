"""What an annotator sees of an attempt of their own: item by item once it is decided, and perhaps what was accepted."""

from dataclasses import dataclass

from annotation_platform.crowd.rounds.comparison import ComparedItem, compared_items
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.crowd.rounds.selectors import standings_of
from annotation_platform.crowd.rounds.standing import Standing, State


@dataclass(frozen=True)
class OwnResult:
    """``items`` are empty until the attempt is decided; ``shows_answers``: whether its owner may read the accepted."""

    standing: Standing | None
    items: list[ComparedItem]
    shows_answers: bool


def own_result(attempt: Attempt, language: str) -> OwnResult:
    """Accepted answers are shown where the round shows them and no further attempt is left."""
    standing = next((each for each in standings_of(attempt.member) if each.round.pk == attempt.round_id), None)
    is_over = standing is not None and standing.state in (State.PASSED, State.FAILED)
    is_decided = attempt.verdict != Verdict.PENDING
    items = compared_items(attempt, language) if attempt.number and attempt.finished_at and is_decided else []
    return OwnResult(standing, items, attempt.round.shows_answers and is_over and is_decided)
