"""Rows of the tables of cited sentences."""

from dataclasses import dataclass

from annotation_platform.analysis.tables.rows import Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class AgreementRow(TableRow):
    """Krippendorff's α of the sets that an aspect's judgments cite, by one distance of two sets."""

    aspect: str
    distance: str
    items: int
    annotators: int
    judgments: int
    undefined_because: str
    raw: Estimate


@dataclass(frozen=True, kw_only=True)
class SizeRow(TableRow):
    """How many judgments cite so many sentences."""

    sentences: str
    judgments: int
    share: Estimate


@dataclass(frozen=True, kw_only=True)
class CoverageRow(TableRow):
    """Of how many documents somebody cites such a part."""

    cited: str
    documents: int
    share: Estimate


@dataclass(frozen=True, kw_only=True)
class PlaceRow(TableRow):
    """How many citations stand in a part of their document."""

    place: str
    citations: int
    share: Estimate
