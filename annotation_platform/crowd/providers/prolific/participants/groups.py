"""How many annotators say the same of themselves; what few say is counted together."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.providers.prolific.participants.selectors import columns_of, kept_of_agreeing
from annotation_platform.studies.models import Study

FEWEST_ANNOTATORS = 5  # k: who knows that somebody took part has k people to choose from
DECADE = 10


@dataclass(frozen=True)
class ColumnGroups:
    """A column by what stands in it, the most frequent first; whole numbers by tens, the smallest first.

    ``groups`` are of ``FEWEST_ANNOTATORS`` or more; ``few`` annotators are in smaller ones, and ``silent`` say nothing.
    """

    column: str
    groups: Sequence[tuple[str, int]]
    few: int
    silent: int


def groups_in(columns: Sequence[str], said: Sequence[Mapping[str, str]], people: int) -> Iterator[ColumnGroups]:
    """Each column of what some of so many people say: a mapping from columns for each of them."""
    for column in columns:
        values = [_in_a_line(each[column]) for each in said if column in each]
        counted = _counted(values)
        large = [(value, count) for value, count in counted if count >= FEWEST_ANNOTATORS]
        few = len(values) - sum(count for _, count in large)
        yield ColumnGroups(_in_a_line(column), large, few, people - len(values))


def who_took_part(study: Study) -> tuple[int, list[ColumnGroups]]:
    """Of how many who have judged something and agree something was kept, and what they say."""
    judging = Annotation.given.filter(item__study=study).values("annotator")
    kept = kept_of_agreeing(study).filter(member__in=judging)
    said = [each.values for each in kept]
    return len(said), list(groups_in(columns_of(kept), said, len(said)))


def _in_a_line(text: str) -> str:
    """Cells of the file may have lines, which would be headings or items of the text that they stand in."""
    return " ".join(text.split())


def _counted(values: Sequence[str]) -> list[tuple[str, int]]:
    numbers = [number for value in values if (number := typed_number(value)) is not None]
    if len(numbers) == len(values):
        tens = Counter(number // DECADE * DECADE for number in numbers)
        return [(f"{low}–{low + DECADE - 1}", people) for low, people in sorted(tens.items())]
    return sorted(Counter(values).items(), key=lambda each: (-each[1], each[0]))
