"""Rows of the tables of answer equivalence."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class ShareRow(TableRow):
    """The share of a system's answers that are right, by people alone and with the classifier; ``effective``: worth
    so many judged."""

    system: str
    judged: int
    others: int
    people: Estimate
    both: Estimate
    effective: int | None
    remark: str
    effective_why: str
    is_off: bool
