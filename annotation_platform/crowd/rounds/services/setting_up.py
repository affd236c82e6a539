"""Making rounds, of a corpus or of a study that is there, and changing who passes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.qualification import LEAST_OVERLAP
from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.rounds.models import Round, Rule
from annotation_platform.crowd.rounds.services.keys import compare_again
from annotation_platform.studies.building import build_study
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Role, Study

MOST_ATTEMPTS, MOST_DAYS, MOST_BEST, LONGEST_TITLE, LONGEST_NAME = 100, 3_650, 1_000_000, 80, 200
TASKS_IN_BATCH = 1_000  # a round opens and closes as a whole


@dataclass(frozen=True)
class RoundSettings:
    """Who passes a round, and how often one may try: the fields of :class:`Round` that a researcher sets."""

    title: str
    rule: str = Rule.SHARE
    least_percent: int = 0
    best_count: int | None = None
    least_overlap: int = LEAST_OVERLAP
    is_reviewed: bool = False
    attempts_allowed: int = 1
    valid_days: int | None = None
    shows_answers: bool = False


def make_round(
    *, study: Study, corpus: Corpus, definition: Mapping[str, Any], settings: RoundSettings, actor: Actor, **more: Any
) -> Round:
    """Make a round of a corpus, whose batches are drafts, after the rounds that the study has.

    Parameters
    ----------
    definition
        The scheme under which it is judged.
    more
        Settings of the round's own study, such as ``questions_per_hit``.

    Raises
    ------
    InvalidInputError
        When a setting cannot be, the corpus lacks what the scheme shows, or the study is a round itself.
    """
    _check_can_have_rounds(study)
    _check(settings)
    made: list[Round] = []
    build_study(
        owner=None,
        name=_name(study, settings.title),
        corpus=corpus,
        definition=definition,
        actor=actor,
        and_then=lambda own: made.append(_add(study, own, settings, actor)),
        **{
            "overlap": 1,
            "hits_per_batch": TASKS_IN_BATCH,
            "questions_per_hit": study.questions_per_hit,
            "time_limit_minutes": study.time_limit_minutes,
            "gives_hints": study.gives_hints,
            "qualifies_for": study,
        }
        | more,
    )
    return made[-1]


@transaction.atomic
def adopt_study(*, study: Study, existing: Study, settings: RoundSettings, actor: Actor) -> Round:
    """Turn a study that is there into a round of another one; who reads that one reads it from then on, nobody else.

    Raises
    ------
    InvalidInputError
        When somebody annotates it already, it has rounds itself, or it is the same study.
    """
    _check_can_have_rounds(study)
    _check(settings)
    own = Study.objects.select_for_update(no_key=True).get(pk=existing.pk)
    has_begun = Assignment.objects.filter(hit__batch__study=own).exclude(state=AssignmentState.OPEN).exists()
    if own.pk == study.pk or own.is_round or own.round_studies.exists():
        raise InvalidInputError("crowd.no_study_to_adopt", study=own.name)
    if has_begun or Member.objects.filter(study=own, role=Role.ANNOTATOR).exists():
        raise InvalidInputError("crowd.study_has_annotators", study=own.name)
    Study.objects.filter(pk=own.pk).update(qualifies_for=study)
    own.invitations.filter(revoked_at=None).update(revoked_at=timezone.now())
    own.refresh_from_db()
    return _add(study, own, settings, actor)


@transaction.atomic
def change_round(*, round_: Round, settings: RoundSettings, actor: Actor) -> None:
    """Change who passes from now on. Verdicts that were given stay; the table of results says where they differ.

    Attempts that are finished are compared again where another overlap is enough to match.

    Raises
    ------
    InvalidInputError
        When a setting cannot be.
    """
    _check(settings)
    fields = asdict(settings)
    before = {name: getattr(round_, name) for name in fields}
    Round.objects.filter(pk=round_.pk).update(**fields)
    round_.refresh_from_db()
    change = differences(before, fields)
    if "least_overlap" in change:
        compare_again(round_)
    if change:
        record(actor, Verb.ROUND_CHANGED, round_, study=round_.study.qualifies_for, change=change)


@transaction.atomic
def move_up(*, round_: Round, actor: Actor) -> bool:
    """Have a round passed before the one that it follows; False when it is the first."""
    study = Study.objects.select_for_update(no_key=True).get(round_studies__round=round_)
    rounds = list(Round.objects.filter(study__qualifies_for=study))
    place = rounds.index(round_)
    if not place:
        return False
    rounds[place - 1 : place + 1] = [round_, rounds[place - 1]]
    for position, each in enumerate(rounds, start=1):
        each.position = position
    Round.objects.bulk_update(rounds, ["position"])
    change = {"round": (None, round_.title), "position": (place + 1, place)}
    record(actor, Verb.ROUND_CHANGED, round_, study=study, change=change)
    return True


def _add(study: Study, own: Study, settings: RoundSettings, actor: Actor) -> Round:
    """The round's row; two that are added at once get positions after each other."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    last = Round.objects.filter(study__qualifies_for=study).aggregate(last=Max("position"))["last"] or 0
    round_ = Round.objects.create(study=own, position=last + 1, **asdict(settings))
    record(actor, Verb.ROUND_MADE, round_, study=study, change={"round": (None, round_.title)})
    return round_


def _check_can_have_rounds(study: Study) -> None:
    if study.is_round:
        raise InvalidInputError("crowd.round_of_a_round")


def _check(settings: RoundSettings) -> None:
    if not settings.title.strip() or len(settings.title) > LONGEST_TITLE:
        raise InvalidInputError("crowd.round_title_wrong", most=LONGEST_TITLE)
    if settings.rule not in Rule.values:
        raise InvalidInputError("crowd.round_rule_wrong")
    if not 0 <= settings.least_percent <= 100 or not 1 <= settings.least_overlap <= 100:
        raise InvalidInputError("crowd.round_percent_wrong")
    if settings.rule == Rule.BEST and not 1 <= (settings.best_count or 0) <= MOST_BEST:
        raise InvalidInputError("crowd.round_best_wrong", most=MOST_BEST)
    if not 1 <= settings.attempts_allowed <= MOST_ATTEMPTS:
        raise InvalidInputError("crowd.round_attempts_wrong", most=MOST_ATTEMPTS)
    if settings.valid_days is not None and not 1 <= settings.valid_days <= MOST_DAYS:
        raise InvalidInputError("crowd.round_days_wrong", most=MOST_DAYS)


def _name(study: Study, title: str) -> str:
    """The name of a round's own study, which nobody types."""
    return f"{study.name[: LONGEST_NAME - len(title) - 3]} · {title}"
