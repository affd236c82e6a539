"""What a snapshot consists of: one line for each section, the only place where a section is added.

A section is stored in a row of its own, so that a page loads only what it shows. Its key is its name in the stored
row, in `report_study --json` and in what a table asks for; keys are unique over both lists.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from annotation_platform.analysis.measuring import counts
from annotation_platform.analysis.measuring.aspects import Measured
from annotation_platform.analysis.measuring.snapshot_input import Reading
from annotation_platform.analysis.measuring.table import Figures
from annotation_platform.analysis.sections.agreement import measure as coefficients
from annotation_platform.analysis.sections.annotators import measure as annotators
from annotation_platform.analysis.sections.equivalence import reading as equivalence
from annotation_platform.analysis.sections.human_llm import reading as human_llm
from annotation_platform.analysis.sections.labels import measure as labels
from annotation_platform.analysis.sections.pairs import measure as tau
from annotation_platform.analysis.sections.preferences import reading as preferences
from annotation_platform.analysis.sections.raters_needed import reading as raters_needed
from annotation_platform.analysis.sections.rev import reading as rev
from annotation_platform.analysis.sections.sentences import reading as sentences
from annotation_platform.analysis.sections.systems import measure as systems
from annotation_platform.analysis.sections.variants import reading as variants
from annotation_platform.analysis.sections.work import reading as work
from annotation_platform.analysis.sections.work.measure import work_figures
from annotation_platform.core.statistics import Bootstrap, Setting

__all__ = ["ASPECT_SECTIONS", "OF_LABELS", "STUDY_SECTIONS", "Reading", "StudySection", "aspect_head"]

# Of each aspect: a function of `Measured`, giving plain JSON data.
ASPECT_SECTIONS: dict[str, Callable[[Measured], Any]] = {
    "counts": counts.counts,
    "pairwise_tau": tau.means,
    **{f"pairs_{setting}": partial(tau.pairs, setting=setting) for setting in Setting},
    "krippendorff_alpha": coefficients.krippendorff_alpha,
    "fleiss_kappa": coefficients.kappa,
    "percent_agreement": coefficients.percent_agreement,
    "gwet_ac": coefficients.gwet,
    "cohen_kappa": coefficients.cohen_kappa,
    "pairs_cohen_kappa": coefficients.pairs_cohen_kappa,
    "intraclass_correlation": coefficients.intraclass_correlation,
    "label_distribution": labels.distributions,
    "labels_by_part": labels.distributions_of_parts,
    "annotators": annotators.annotators,
    "mean_by_label": labels.means_by_label,
    "mean_by_system": systems.means_by_system,
    "system_differences": systems.differences_of_systems,
}


OF_LABELS = frozenset({"cohen_kappa", "pairs_cohen_kappa", "label_distribution", "labels_by_part"})
"""Those of them that are about labels alone: another run's scores change nothing in them."""


class StudySection(NamedTuple):
    """A section about the study as a whole, such as its people or the sentences cited.

    ``read`` gives what is measured, and plain JSON data that identifies it (a digest, keys of runs): that becomes
    part of the snapshot's data signature. It should be quick, for it also runs when nothing has changed. ``measure``
    computes, only when something has: what it reads is known by that identity, the scheme and people's labels.
    """

    read: Callable[[Reading], tuple[Any, Any]]
    measure: Callable[[Any, Bootstrap], Any]


STUDY_SECTIONS: dict[str, StudySection] = {
    "work": StudySection(work.read_work, work_figures),
    "preferences": StudySection(preferences.read, preferences.measure),
    "sentences": StudySection(sentences.read, sentences.measure),
    "variants": StudySection(variants.read, variants.measure),
    "number_of_raters": StudySection(raters_needed.read, raters_needed.measure),
    "human_llm": StudySection(human_llm.read, human_llm.measure),
    "equivalence": StudySection(equivalence.read, equivalence.measure),
    "rev": StudySection(rev.read, rev.measure),
}


def aspect_head(measured: Measured) -> Figures:
    """What every page needs to know of an aspect, without any of its figures."""
    measure = measured.measure
    return {
        "aspect": measure.key,
        "title": measure.title,
        "per": measure.per,
        "level": str(measure.level),
        "labels": [label._asdict() for label in measure.labels],
        "best_label": None if measure.best is None else measure.labels[measure.best].key,
        "better": measure.better,
        "is_rescaled": measure.is_rescaled,
        "rescaled_undefined_because": measured.table.no_scores_because,
        "resamples_of_pairs": measured.resamples_of_pairs,
    }
