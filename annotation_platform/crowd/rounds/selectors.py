"""Reads of rounds: their items and keys, how people stand, what the researcher and the annotator see."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.rounds.models import Attempt, ItemKey, Round, Rule, Verdict
from annotation_platform.crowd.rounds.standing import Standing, standings
from annotation_platform.studies.models import BatchState, Item, Member, Role, Study, goes_on


def rounds_of_study(study_id: int) -> QuerySet[Round]:
    """The rounds that qualify for a study, in the order in which they are passed."""
    rounds = Round.objects.filter(study__qualifies_for=study_id, study__arriving_at=None)
    return rounds.select_related("study__qualifies_for")


def round_in(study: Study, pk: int) -> Round:
    """A round that qualifies for a study.

    Raises
    ------
    NotThereError
        When it has no such round.
    """
    found = rounds_of_study(study.pk).select_related("study__scheme_version").filter(pk=pk).first()
    if found is None:
        raise NotThereError("crowd.no_round")
    return found


def open_rounds(rounds: Iterable[Round]) -> set[int]:
    """The keys of those that can be tried now: of a study that goes on, as they do themselves."""
    keys = [each.pk for each in rounds if each.ended_at is None and _goes_on(each.study)]
    found = Round.objects.filter(goes_on("study__batches__"), pk__in=keys)
    return set(found.values_list("pk", flat=True))


def _goes_on(own: Study) -> bool:
    return own.archived_at is None and (own.qualifies_for is None or own.qualifies_for.archived_at is None)


def standings_of(member: Member) -> list[Standing]:
    """How a member of a study stands in its rounds, but for archived ones, which ask nothing of anybody.

    No more than one query where there are none.
    """
    rounds = list(rounds_of_study(member.study_id).filter(study__archived_at=None))
    if not rounds:
        return []
    attempts = Attempt.objects.filter(round__in=rounds, member=member)
    return standings(rounds, attempts, open_rounds=open_rounds(rounds), now=timezone.now())


@dataclass(frozen=True)
class OwnRounds:
    """A study that somebody annotates, and how they stand in its rounds."""

    member: Member
    standings: list[Standing]

    @property
    def is_qualified(self) -> bool:
        return all(each.is_passed for each in self.standings)


def rounds_of(user: Any) -> list[OwnRounds]:
    """The studies of an annotator that have rounds, with how they stand in them."""
    members = (
        Member.objects.filter(
            user=user,
            role=Role.ANNOTATOR,
            study__archived_at=None,
            study__round_studies__round__isnull=False,
        )
        .select_related("study")
        .distinct()
        .order_by("study__name")
    )
    own = [OwnRounds(member, standings_of(member)) for member in members]
    return [each for each in own if each.standings]


def home_card(user: Any) -> dict[str, Any] | None:
    """What ``crowd/rounds/_home.html`` shows; None for who has no rounds."""
    own = rounds_of(user)
    return {"own_rounds": own} if own else None


@dataclass(frozen=True)
class RoundItem:
    """An item of a round under its number there, with its key when it has one."""

    number: int
    item: Item
    key: ItemKey | None


def items_of(round_: Round) -> list[RoundItem]:
    """The items of a round in the order in which people meet them, numbered from 1."""
    items = (
        Item.objects.filter(study=round_.study_id)
        .select_related("question__article", "hit__batch", "qualification_key")
        .prefetch_related("candidates__answer")
        .order_by("hit__batch__number", "hit__position", "position")
    )
    return [RoundItem(number, item, getattr(item, "qualification_key", None)) for number, item in enumerate(items, 1)]


def item_of(round_: Round, number: int) -> RoundItem:
    """The item with a number.

    Raises
    ------
    NotThereError
        When the round has no such item.
    """
    for each in items_of(round_):
        if each.number == number:
            return each
    raise NotThereError("crowd.no_round_item")


def keys_of(round_: Round) -> dict[int, ItemKey]:
    """The keys of a round's items, by the items' keys."""
    return {key.item_id: key for key in ItemKey.objects.filter(item__study=round_.study_id)}


def lacks_key(round_: Round) -> bool:
    """Whether nothing could be compared although the rule needs that."""
    return round_.needs_key and not any(key.accepted for key in keys_of(round_).values())


def state_of(round_: Round) -> str:
    """``draft``, ``open``, ``ended`` or ``archived``."""
    if round_.study.archived_at is not None:
        return "archived"
    if round_.ended_at is not None:
        return "ended"
    return "open" if round_.study.batches.filter(state=BatchState.OPEN).exists() else "draft"


def attempts_in(round_: Round) -> QuerySet[Attempt]:
    """All that was tried or decided in a round, what waits for a person first."""
    return (
        Attempt.objects.filter(round=round_)
        .select_related("member", "annotator", "decided_by")
        .order_by("-finished_at", "member__pseudonym", "-number")
    )


def waiting_for_review(round_: Round) -> QuerySet[Attempt]:
    """Attempts that are finished and not decided; those of the best are decided together, when the round ends."""
    waiting = round_.attempts.filter(verdict=Verdict.PENDING, finished_at__isnull=False)
    if round_.rule == Rule.BEST and round_.ended_at is None:
        return waiting.none()
    return waiting


def attempt_in(study: Study, pk: int) -> Attempt:
    """An attempt in one of a study's rounds.

    Raises
    ------
    NotThereError
        When there is none such.
    """
    found = Attempt.objects.filter(pk=pk, round__in=rounds_of_study(study.pk))
    attempt = found.select_related("round__study__scheme_version", "member", "annotator", "decided_by").first()
    if attempt is None:
        raise NotThereError("crowd.no_attempt")
    return attempt


def own_round(user: Any, pk: int) -> tuple[Round, Member]:
    """A round, and who somebody is as an annotator of the study that it qualifies for.

    Raises
    ------
    NotThereError
        For everybody but that study's annotators.
    """
    round_ = Round.objects.filter(pk=pk, study__arriving_at=None).select_related("study").first()
    member = None
    if round_ is not None:
        mine = Member.objects.filter(study=round_.study.qualifies_for_id, user=user.pk, role=Role.ANNOTATOR)
        member = mine.select_related("study").first()
    if round_ is None or member is None:
        raise NotThereError("crowd.no_round")
    return round_, member


def own_attempt(user: Any, pk: int) -> Attempt:
    """An attempt, for the person whose it is.

    Raises
    ------
    NotThereError
        For everybody else.
    """
    attempt = (
        Attempt.objects.filter(pk=pk, member__user=user, member__role=Role.ANNOTATOR)
        .select_related("round__study__scheme_version", "round__study__qualifies_for", "member", "annotator")
        .first()
    )
    if attempt is None:
        raise NotThereError("crowd.no_attempt")
    return attempt
