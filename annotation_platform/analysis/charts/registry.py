"""Every chart, from a figure's rows to an Altair chart; imported soon after the web process has started.

A module for each page, each with its own ``CHARTS``; one line here adds a module.
"""

from annotation_platform.analysis.charts.base import Draw
from annotation_platform.analysis.sections.agreement import charts as agreement
from annotation_platform.analysis.sections.annotators import charts as annotators
from annotation_platform.analysis.sections.equivalence import charts as verdicts
from annotation_platform.analysis.sections.human_llm import charts as human_llm
from annotation_platform.analysis.sections.labels import charts as labels
from annotation_platform.analysis.sections.pairs import charts as pairs
from annotation_platform.analysis.sections.raters_needed import charts as raters_needed
from annotation_platform.analysis.sections.sentences import charts as sentences
from annotation_platform.analysis.sections.systems import charts as systems
from annotation_platform.analysis.sections.variants import charts as variants

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
