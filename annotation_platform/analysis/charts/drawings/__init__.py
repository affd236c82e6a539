"""Every chart, from a figure's rows to an Altair chart; imported soon after the web process has started.

A module for each page, each with its own ``CHARTS``; one line here adds a module.
"""

from annotation_platform.analysis.charts.drawings import (
    agreement,
    annotators,
    human_llm,
    labels,
    pairs,
    raters_needed,
    sentences,
    systems,
    variants,
    verdicts,
)
from annotation_platform.analysis.charts.drawings.base import Draw

CHARTS: dict[str, Draw] = {
    **agreement.CHARTS,
    **annotators.CHARTS,
    **pairs.CHARTS,
    **labels.CHARTS,
    **systems.CHARTS,
    **sentences.CHARTS,
    **variants.CHARTS,
    **raters_needed.CHARTS,
    **human_llm.CHARTS,
    **verdicts.CHARTS,
}
