"""What a table of figures is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.tables.base import SETTINGS, Row
from annotation_platform.core.errors import NotThereError


@dataclass(frozen=True)
class Asked:
    """A snapshot, the sections that were loaded from it, and what the address says (setting, pair, …).

    ``figures`` is the head of one aspect with its sections and those of the study as a whole, by their keys.
    """

    snapshot: AgreementSnapshot
    figures: Row
    parameters: Mapping[str, str] = field(default_factory=dict)

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
    def pairs(self) -> str:
        """The section of all pairs: their τ over all items, or where labels have no order their κ."""
        return "pairs_cohen_kappa" if self.figures.get("level") == "nominal" else "pairs_all"

    @property
    def pairs_of_setting(self) -> str:
        """The same in the setting asked for; of κ there is but one."""
        return f"pairs_{self.setting}" if self.pairs == "pairs_all" else self.pairs

    @property
    def pair(self) -> str:
        return self.parameters.get("pair", "")
