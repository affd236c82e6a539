"""Rows of the comparison of two snapshots."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class ComparedRow(TableRow):
    """A figure then and now; ``remark``: it is new, gone, or beyond the interval of then."""

    figure: str
    then: Estimate
    now: Estimate
    change: float | None
    remark: str

    @property
    def differs(self) -> bool:
        return self.then != self.now
