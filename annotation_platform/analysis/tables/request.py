"""What a table of figures is made from, and how."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from annotation_platform.analysis.measuring.figures import AspectHead, SectionFigures
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.tables.base import SETTINGS, FigureTable, Row
from annotation_platform.core.errors import NotThereError

T = TypeVar("T")
OTHERS = ("units", "annotators")


@dataclass(frozen=True)
class TableRequest:
    """A snapshot, the sections that were loaded from it, and what the address says (setting, pair, …).

    ``figures`` are the sections of one aspect and those of the study as a whole, by their keys.
    """

    snapshot: AgreementSnapshot
    head: AspectHead
    figures: Row = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    _read: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def section(self, of: SectionFigures[T]) -> T:
        """The figures of one section, as the type that its topic gives them; read once."""
        if of.key not in self._read:
            self._read[of.key] = of.from_stored(self.figures[of.key])
        found: T = self._read[of.key]
        return found

    def has(self, of: SectionFigures[Any]) -> bool:
        """Whether the section was asked for, and the snapshot has it in today's version."""
        return of.key in self.figures

    @property
    def aspect(self) -> str:
        """The key of the aspect that is shown."""
        return self.head.aspect

    @property
    def setting(self) -> str:
        """Which joined judgments count for a pair.

        Raises
        ------
        NotThereError
            When there is no such setting.
        """
        if (found := self.parameters.get("setting", "all")) not in SETTINGS:
            raise NotThereError("analysis.no_setting", setting=found, settings=[*SETTINGS])
        return found

    @property
    def others(self) -> bool:
        """Whether intervals are to speak for other annotators, too.

        Raises
        ------
        NotThereError
            When there is no such choice.
        """
        if (found := self.parameters.get("others", OTHERS[0])) not in OTHERS:
            raise NotThereError("analysis.no_setting", setting=found, settings=[*OTHERS])
        return found == OTHERS[1]

    @property
    def pairs(self) -> str:
        """The section of all pairs: their τ over all items, or where labels have no order their κ."""
        return "pairs_cohen_kappa" if self.head.is_nominal else "pairs_all"

    @property
    def pairs_of_setting(self) -> str:
        """The same in the setting asked for; of κ there is but one."""
        return f"pairs_{self.setting}" if self.pairs == "pairs_all" else self.pairs

    @property
    def pair(self) -> str:
        return self.parameters.get("pair", "")

    def query_of(self, *names: str) -> str:
        """What of the address a figure's files need."""
        kept = {name: self.parameters[name] for name in names if self.parameters.get(name)}
        return f"?{urlencode(kept)}" if kept else ""


class TableOf(NamedTuple):
    """How a table is made; ``build`` gives None where the study has nothing to show in it.

    ``{pairs}`` among the sections that it needs is that of all pairs, ``{pairs_of_setting}`` that of the setting that
    the address says.
    """

    needs: tuple[str, ...]
    build: Callable[[TableRequest], FigureTable | None]
    of_one: str = ""  # what the address must name for it: a pair, an annotator
    of_study: bool = False  # whether it is about the study as a whole: the same whichever aspect is shown
