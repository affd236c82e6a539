"""Comparisons of two systems at a time, as columns."""

from dataclasses import dataclass

from annotation_platform.core.arrays import Codes, Floats


@dataclass(frozen=True, eq=False)
class Duels:
    """One entry for each judgment and each two systems that it compared.

    ``first`` and ``second`` are codes of systems, ``first < second``; ``outcomes`` are 1 where the first was
    preferred, 0.5 for a tie, 0 where the second was. ``shown_first`` is 1 where the first stood before the second, 0
    where it stood behind it, NaN where that is not known. ``longer`` and ``more_formatted`` are the log ratios of the
    two answers' characters, and of one plus their marks of formatting. Questions that share an article are no
    independent evidence, so ``groups`` are the articles, or the questions where there are no articles.
    """

    first: Codes
    second: Codes
    outcomes: Floats
    shown_first: Floats
    longer: Floats
    more_formatted: Floats
    questions: Codes
    groups: Codes
    annotators: Codes
    systems: tuple[str, ...]
    group_is: str
    forced: int = 0  # judgments that found no answer acceptable and named one because one had to be named

    def __len__(self) -> int:
        return len(self.outcomes)
