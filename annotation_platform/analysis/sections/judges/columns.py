"""What people and a judge said of one aspect, as columns, and what the answers look like."""

from dataclasses import dataclass

from annotation_platform.analysis.sections.judges.figures import Measured
from annotation_platform.core.arrays import Codes, Floats


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
    the unit has no place before the judge."""

    measured: Measured
    span: float | None
    people: Floats
    groups: Codes
    questions: Codes
    looks: Looks
    reason: str | None
    place: str


@dataclass(frozen=True, eq=False)
class Chosen:
    """One entry an item of which people chose one: of each place the share of people who did (NaN: nobody chose, or
    there is no such place), and how many places there are. ``looks`` are place by place, where places are answers; else
    there are none, for the reason given."""

    shares: Floats
    sizes: Codes
    groups: Codes
    questions: Codes
    looks: Looks | None
    reason: str
