"""What people and a judge said of one aspect, as columns, and what the answers look like."""

from dataclasses import dataclass

import numpy as np

from annotation_platform.analysis.sections.judges.figures import Measured
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.statistics.judge_bias import place_share
from annotation_platform.core.statistics.linear_for_others import Said


@dataclass(frozen=True, eq=False)
class Looks:
    """Of each unit of a study: characters of what is judged of it (NaN where that is no single answer), whether it is
    Japanese (1) or in Latin letters (0; else NaN), and whose answer it is."""

    characters: Floats
    japanese: Floats
    system: Codes
    systems: tuple[str, ...]

    def of(self, units: Codes) -> "Looks":
        return Looks(self.characters[units], self.japanese[units], self.system[units], self.systems)


@dataclass(frozen=True, eq=False)
class Scaled:
    """One entry a unit that people judged: their mean of it, as a share of the scale's length; ``reason`` says why
    there is no such number. ``groups`` and ``questions`` are codes, ``looks`` is entry by entry. ``place`` says why
    the unit has no place before the judge. ``said`` is what their mean is of."""

    measured: Measured
    span: float | None
    people: Floats
    groups: Codes
    questions: Codes
    looks: Looks
    reason: str | None
    place: str
    said: Said


@dataclass(frozen=True, eq=False)
class Chosen:
    """One entry an item of which people chose one: of each place the share of people who did (NaN: nobody chose, or
    there is no such place), and how many places there are. ``looks`` are place by place, where places are answers; else
    there are none, for the reason given. ``votes`` are what the shares are of: entry and annotator, and the place from
    1 as value (0: none)."""

    shares: Floats
    sizes: Codes
    groups: Codes
    questions: Codes
    looks: Looks | None
    reason: str
    votes: Said

    def of_place(self, place: int) -> Said:
        """What people said of a place, item by item; from the end where it is negative."""
        votes = self.votes
        return Said(votes.rows, votes.raters, place_share(votes.values, self.sizes[votes.rows], place))

    def by_place(self) -> Said:
        """The same with a row for each place that there is."""
        votes, sizes = self.votes, self.sizes[self.votes.rows]
        vote = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(vote)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        value, k = votes.values[vote], sizes[vote]
        shares = np.where(value == 0, 1 / k, value == place + 1)
        return Said((np.cumsum(self.sizes) - self.sizes)[votes.rows[vote]] + place, votes.raters[vote], shares)
