"""What an address of figures may say: of which snapshot, and how their tables are made."""

from drf_spectacular.utils import OpenApiParameter

from annotation_platform.analysis.tables.base import SETTINGS
from annotation_platform.analysis.tables.request import OTHERS

WHICH = OpenApiParameter("snapshot", int, description="Key of a snapshot; otherwise the newest.")
HOW = [
    WHICH,
    OpenApiParameter("setting", str, enum=[*SETTINGS], description="Which joined judgments count for a pair."),
    OpenApiParameter("others", str, enum=[*OTHERS], description="annotators: intervals speak for other people, too."),
    OpenApiParameter(
        "epsilon",
        str,
        description="Another ε of the alternative annotator test, from 0 to below 1, for its tables.",
    ),
    OpenApiParameter("pair", str, description="Two annotators, for the table of one pair."),
    OpenApiParameter("annotator", str, description="For the tables of one annotator."),
]
