"""What attempts come to beside the accepted answers, and how hard the items are."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.qualification import Match, Tally, best, match, tally
from annotation_platform.crowd.rounds.models import Attempt, ItemKey, Round, Rule, Verdict
from annotation_platform.crowd.rounds.selectors import RoundItem, items_of, keys_of
from annotation_platform.studies.models import SchemeVersion


def judgments_in(attempt: Attempt) -> dict[int, Annotation]:
    """The judgments of an attempt that count, by their items' keys."""
    return _judgments([attempt]).get(attempt.pk, {})


def measured(round_: Round, attempts: Sequence[Attempt]) -> dict[int, Tally]:
    """What attempts of a round come to, by their keys. An item that was not judged matches nothing of its key."""
    keys = {item: key for item, key in keys_of(round_).items() if key.accepted}
    judgments = _judgments(attempts)
    return {
        each.pk: tally(
            (matched(round_, key, judgments.get(each.pk, {}).get(item)), key.must_pass) for item, key in keys.items()
        )
        for each in attempts
    }


def _judgments(attempts: Sequence[Attempt]) -> dict[int, dict[int, Annotation]]:
    """Attempt's key → item's key → the judgment that counts, in one query."""
    known = {(each.annotator_id, each.number - 1): each.pk for each in attempts if each.annotator_id and each.number}
    current = Annotation.objects.current().filter(annotator__in={annotator for annotator, _ in known})
    found: dict[int, dict[int, Annotation]] = {}
    for each in current.select_related("scheme_version", "assignment"):
        attempt = known.get((each.annotator_id, each.assignment.replicate))
        if attempt is not None:
            found.setdefault(attempt, {})[each.item_id] = each
    return found


def matched(round_: Round, key: ItemKey, judgment: Annotation | None) -> Match:
    """What of an item's key a judgment matches."""
    version = judgment.scheme_version if judgment else round_.study.scheme_version
    values = judgment.values if judgment else {}
    if judgment is None:  # silence is no answer, even where an answer may be left open
        return Match((), tuple(key.accepted))
    return match(version.scheme(), key.accepted, values, least_overlap=round_.least_overlap)


def what_the_rule_says(round_: Round, found: Tally) -> Verdict:
    """What the rule of a round says of a finished attempt; pending where it leaves that to a person, or to the end."""
    if round_.rule == Rule.ANYONE:
        return Verdict.PASSED
    if round_.rule == Rule.REVIEW:
        return Verdict.PENDING
    if found.compared and not found.reaches(round_.least_percent):
        return Verdict.FAILED
    if round_.rule == Rule.BEST:
        return Verdict.PENDING
    if not found.compared:
        return Verdict.PENDING
    return Verdict.PASSED


def best_of(round_: Round, *, with_refused: bool = False) -> set[int]:
    """The keys of the attempts that are among the best of a round: each person's best one counts.

    One that fails an item that must be passed, or matches too little, is never better than one that does not. Whoever
    was excluded or let out of the study takes nobody's place, nor does what a person decided against, or who was
    barred, but ``with_refused``.
    """
    tallies: dict[int, tuple[int, Tally]] = {}
    finished = round_.attempts.filter(finished_at__isnull=False).exclude(
        Q(member__excluded_at__isnull=False) | Q(member__user=None)
    )
    for attempt in (finished if with_refused else finished.exclude(_refused(round_))).order_by("number"):
        found = attempt.tally
        known = tallies.get(attempt.member_id)
        if found is not None and (known is None or _rank(found, round_) > _rank(known[1], round_)):
            tallies[attempt.member_id] = (attempt.pk, found)
    by_attempt = dict(tallies.values())
    return best(by_attempt, round_.best_count or 0, least_percent=round_.least_percent)


def _refused(round_: Round) -> Q:
    """Attempts that a person decided against, and all of those who are barred."""
    passed = round_.attempts.filter(member=OuterRef("member"), verdict=Verdict.PASSED)
    since = passed.filter(decided_at__gt=OuterRef("decided_at"))
    barred = round_.attempts.filter(~Exists(since), number=0, verdict=Verdict.FAILED).values("member")
    return Q(verdict=Verdict.FAILED, decided_by__isnull=False) | Q(member__in=barred)


def _rank(found: Tally, round_: Round) -> tuple[bool, float]:
    return found.reaches(round_.least_percent), found.percent or 0


@dataclass(frozen=True)
class Difficulty:
    """How many of those who finished matched an item whole, and what they missed most."""

    item: RoundItem
    judged: int
    whole: int
    missed: list[tuple[str, int]]

    @property
    def percent(self) -> float | None:
        return 100 * self.whole / self.judged if self.judged else None


def difficulties(round_: Round) -> list[Difficulty]:
    """How hard each item with a key was in first attempts, of those who have finished them."""
    first = round_.attempts.filter(number=1, finished_at__isnull=False).values("annotator")
    judged: dict[int, list[Annotation]] = {}
    found = Annotation.objects.current().filter(annotator__in=first, assignment__replicate=0)
    for each in found.only("item_id", "values", "scheme_version_id").iterator():
        judged.setdefault(each.item_id, []).append(each)
    versions = {
        each.pk: each for each in SchemeVersion.objects.filter(annotations__item__study=round_.study_id).distinct()
    }
    return [_difficulty(round_, each, judged.get(each.item.pk, []), versions) for each in items_of(round_)]


def _difficulty(
    round_: Round, item: RoundItem, judged: list[Annotation], versions: dict[int, SchemeVersion]
) -> Difficulty:
    matches = list(_matches(round_, item, judged, versions))
    missed = Counter(key for each in matches for key in each.missed)
    return Difficulty(item, len(matches), sum(each.is_whole for each in matches), missed.most_common(3))


def _matches(
    round_: Round, item: RoundItem, judged: list[Annotation], versions: dict[int, SchemeVersion]
) -> Iterator[Match]:
    if item.key is None or not item.key.accepted:
        return
    for each in judged:
        scheme = versions[each.scheme_version_id].scheme()
        found = match(scheme, item.key.accepted, each.values, least_overlap=round_.least_overlap)
        if found.compared:
            yield found
