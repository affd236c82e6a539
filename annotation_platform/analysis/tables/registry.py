"""A snapshot's figures as tables: one line for each, the only place where a table is added.

A table says which sections of the snapshot it needs, so that pages load these and no others. Its name stands in the
address of its CSV file; a chart's name is its table's, or begins with it and a hyphen.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.agreement.tables import agreement_table, aspects_table, coefficients_table
from annotation_platform.analysis.sections.annotators.tables import (
    annotator_pairs_table,
    annotator_table,
    annotators_table,
)
from annotation_platform.analysis.sections.equivalence.tables import (
    calibration_table,
    rules_table,
    systems_of_run,
    ways_table,
)
from annotation_platform.analysis.sections.human_llm.tables import (
    additional_table,
    alignment_table,
    confusion_table,
    preference_table,
    replacement_table,
)
from annotation_platform.analysis.sections.labels.tables import labels_table, means_table
from annotation_platform.analysis.sections.mate.tables import bias_table, correlations_table, weights_table
from annotation_platform.analysis.sections.mate.tables import systems_table as mate_systems_table
from annotation_platform.analysis.sections.pairs.pair import pair_table
from annotation_platform.analysis.sections.pairs.tables import changes_table, pairs_table
from annotation_platform.analysis.sections.preferences.tables import preferences_table
from annotation_platform.analysis.sections.raters_needed.tables import one_more_table, raters_table
from annotation_platform.analysis.sections.rev.tables import kinds_table, people_table, steps_table
from annotation_platform.analysis.sections.sentences.tables import (
    cited_agreement_table,
    cited_coverage_table,
    cited_places_table,
    cited_sizes_table,
)
from annotation_platform.analysis.sections.systems.tables import (
    differences_table,
    means_of_aspects_table,
    ranks_table,
    systems_table,
)
from annotation_platform.analysis.sections.variants.classes import classes_table, own_order_table
from annotation_platform.analysis.sections.variants.tables import comparison_table, mixtures_table, variants_table
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.tables.base import FigureTable, Row
from annotation_platform.analysis.tables.request import Asked
from annotation_platform.core.errors import NotThereError

__all__ = ["TABLES", "Asked", "FigureTable", "TableOf", "ask", "needs_of", "table_named", "tables_of"]


class TableOf(NamedTuple):
    """How a table is made; ``build`` gives None where the study has nothing to show in it.

    ``{pairs}`` among the sections that it needs is that of all pairs, ``{pairs_of_setting}`` that of the setting that
    the address says.
    """

    needs: tuple[str, ...]
    build: Callable[[Asked], FigureTable | None]
    of_one: str = ""  # what the address must name for it: a pair, an annotator


TABLES: dict[str, TableOf] = {
    "aspects": TableOf((), lambda asked: aspects_table(asked.snapshot.head)),
    "agreement": TableOf(
        ("pairwise_tau", "krippendorff_alpha", "fleiss_kappa"), lambda asked: agreement_table(asked.figures)
    ),
    "coefficients": TableOf(
        ("percent_agreement", "gwet_ac", "cohen_kappa", "intraclass_correlation"),
        lambda asked: coefficients_table(asked.figures),
    ),
    "pairs": TableOf(("pairwise_tau", "{pairs_of_setting}"), pairs_table),
    "pair": TableOf(("{pairs}",), pair_table, of_one="pair"),
    "changes": TableOf(("pairwise_tau",), lambda asked: changes_table(asked.figures)),
    "annotators": TableOf(("annotators", "work"), annotators_table),
    "annotator": TableOf(("annotators", "work"), annotator_table, of_one="annotator"),
    "annotator-pairs": TableOf(("pairs_all",), annotator_pairs_table, of_one="annotator"),
    "labels-annotator": TableOf(
        ("label_distribution", "labels_by_part"), lambda asked: labels_table(asked, "annotator")
    ),
    "labels-system": TableOf(("label_distribution",), lambda asked: labels_table(asked, "system")),
    "means-label": TableOf(("mean_by_label",), lambda asked: means_table(asked.figures)),
    "means-system": TableOf(("mean_by_system",), lambda asked: systems_table(asked.figures)),
    "ranks": TableOf(("mean_by_system",), lambda asked: ranks_table(asked.figures)),
    "differences": TableOf(("system_differences",), lambda asked: differences_table(asked.figures)),
    "means-aspects": TableOf((), means_of_aspects_table),
    "wins": TableOf(("preferences",), preferences_table),
    "cited-agreement": TableOf(("sentences",), cited_agreement_table),
    "cited-sizes": TableOf(("sentences",), cited_sizes_table),
    "cited-coverage": TableOf(("sentences",), cited_coverage_table),
    "cited-places": TableOf(("sentences",), cited_places_table),
    "variants": TableOf(("variants",), variants_table),
    "mixtures": TableOf(("variants",), mixtures_table),
    "classes": TableOf(("variants",), classes_table),
    "own-order": TableOf(("variants",), own_order_table),
    "comparison": TableOf(("variants",), comparison_table),
    "raters": TableOf(("number_of_raters",), raters_table),
    "one-more": TableOf(("number_of_raters",), one_more_table),
    "llm-replacement": TableOf(("human_llm",), replacement_table),
    "llm-alignment": TableOf(("human_llm",), alignment_table),
    "llm-additional": TableOf(("number_of_raters", "human_llm"), additional_table),
    "llm-confusion": TableOf(("human_llm",), confusion_table),
    "mate-correlations": TableOf(("human_llm",), correlations_table),
    "mate-systems": TableOf(("human_llm",), mate_systems_table),
    "mate-weights": TableOf(("human_llm",), weights_table),
    "mate-bias": TableOf(("human_llm",), bias_table),
    "preference": TableOf(("human_llm",), preference_table),
    "equivalence": TableOf(("equivalence",), ways_table),
    "equivalence-systems": TableOf(("equivalence",), systems_of_run),
    "equivalence-calibration": TableOf(("equivalence",), calibration_table),
    "equivalence-rules": TableOf(("equivalence",), rules_table),
    "rev": TableOf(("rev",), kinds_table),
    "rev-steps": TableOf(("rev",), steps_table),
    "rev-people": TableOf(("rev",), people_table),
}


def table_named(name: str) -> str:
    """The table that a chart belongs to, or that has this name itself.

    Raises
    ------
    NotThereError
        When there is none.
    """
    found = name
    while found not in TABLES:
        found, hyphen, _ = found.rpartition("-")
        if not hyphen:
            raise NotThereError("analysis.no_chart")
    return found


def ask(
    snapshot: AgreementSnapshot,
    aspect: str,
    names: Iterable[str],
    parameters: Mapping[str, str] | None = None,
    *,
    sections: Iterable[str] = (),
) -> Asked:
    """What these tables need, and ``sections`` besides, in one query."""
    head: Row = next((each for each in snapshot.head["aspects"] if each["aspect"] == aspect), {})
    asked = Asked(snapshot, head, parameters or {})
    needs = set(sections) | {key for name in names for key in needs_of(name, asked)}
    return replace(asked, figures=sections_of(snapshot, needs, aspect=aspect))


def needs_of(name: str, asked: Asked) -> tuple[str, ...]:
    return tuple(key.format(pairs=asked.pairs, pairs_of_setting=asked.pairs_of_setting) for key in TABLES[name].needs)


def tables_of(asked: Asked, names: Iterable[str]) -> dict[str, FigureTable]:
    """Those of these tables that have something to show; one whose sections the snapshot lacks has not."""
    found = {}
    for name in names:
        needs = needs_of(name, asked)
        if all(key in asked.figures for key in needs) and (table := TABLES[name].build(asked)) is not None:
            found[name] = replace(table, needs=needs)
    return found
