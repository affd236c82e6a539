"""How many annotators resemble each other, by what somebody who knows them may know: alone and together.

A release is k-anonymous by some traits when each combination of their values is that of k annotators or more. Numbers
are put into bands, as somebody knows them who knows about how much another person did.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import combinations

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils.translation import gettext_noop as _

from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.languages.models import StatedLanguages
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.studies.models import Study

JUDGMENTS, DAYS, LANGUAGES, ROUNDS = _("number of judgments"), _("active days"), _("languages"), _("rounds passed")
BANDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
NAMED = 5  # groups that are shown
NOT_SAID = "not said"

Traits = Mapping[str, str]


@dataclass(frozen=True)
class SmallGroups:
    """Groups of fewer than k annotators who share their values of some traits, the smallest first."""

    traits: tuple[str, ...]
    groups: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def people(self) -> int:
        return sum(size for _, size in self.groups)

    @property
    def words(self) -> str:
        """The smallest groups: how many annotators, and what they share."""
        shown = [
            f"{size} annotator{'' if size == 1 else 's'}: {', '.join(_said(self.traits, values))}"
            for values, size in self.groups[:NAMED]
        ]
        more = len(self.groups) - len(shown)
        return "; ".join(shown) + (f"; and {more:,} more" if more else "")


def traits_of(study: Study, participants: Mapping[str, Mapping[str, str]], columns: Sequence[str]) -> dict[int, Traits]:
    """Each annotator's traits, of those in which the study's annotators differ.

    The number of judgments and the days on which they were made are in a release's files; the languages that annotators
    state and the rounds of qualification that they passed are what others in the study may know of them. What the
    release says of ``participants`` is a trait for each of its ``columns``.
    """
    judged = Annotation.objects.closed().filter(item__study=study).order_by().values_list("annotator")
    day = TruncDate("created_at", tzinfo=UTC)
    found: dict[int, dict[str, str]] = {
        member: {JUDGMENTS: band(judgments), DAYS: band(days)}
        for member, judgments, days in judged.annotate(n=Count("pk"), days=Count(day, distinct=True))
    }
    languages = dict(StatedLanguages.objects.filter(member__in=found).values_list("member", "codes"))
    passed: defaultdict[int, set[str]] = defaultdict(set)
    passes = Attempt.objects.filter(member__in=found, verdict=Verdict.PASSED)
    for member, title in passes.values_list("member", "round__title"):
        passed[member].add(title)
    for member, traits in found.items():
        traits[LANGUAGES] = " ".join(sorted(languages.get(member, []))) or "none stated"
        traits[ROUNDS] = ", ".join(sorted(passed[member])) or "none"
        said = participants.get(str(member), {})
        traits |= {f"“{column}”": said.get(column, NOT_SAID) for column in columns}
    names = (LANGUAGES, ROUNDS, JUDGMENTS, DAYS, *(f"“{column}”" for column in columns))
    differing = [name for name in names if len({each[name] for each in found.values()}) > 1]
    return {member: {name: traits[name] for name in differing} for member, traits in found.items()}


def small_groups(people: Mapping[int, Traits], fewest: int) -> Iterator[SmallGroups]:
    """The combinations of traits by which a group has fewer than ``fewest`` annotators.

    Where a combination has one, so has every larger one that contains it; only the smallest ones are given.
    """
    names = tuple(next(iter(people.values()), {}))
    failing: list[set[str]] = []
    for size in range(1, len(names) + 1):
        for traits in combinations(names, size):
            if any(smaller <= set(traits) for smaller in failing):
                continue
            groups = Counter(tuple(each[name] for name in traits) for each in people.values())
            small = sorted((each for each in groups.items() if each[1] < fewest), key=lambda each: (each[1], each[0]))
            if small:
                failing.append(set(traits))
                yield SmallGroups(traits, tuple(small))


def band(number: int) -> str:
    """
    >>> band(1), band(3), band(20), band(20_000)
    ('1', '2–4', '20–49', '10,000 or more')
    """
    low = max(each for each in BANDS if each <= number)
    if low == BANDS[-1]:
        return f"{low:,} or more"
    high = BANDS[BANDS.index(low) + 1] - 1
    return str(low) if low == high else f"{low:,}–{high:,}"


def _said(traits: tuple[str, ...], values: tuple[str, ...]) -> Iterator[str]:
    for trait, value in zip(traits, values, strict=True):
        yield f"{trait} {value}"
