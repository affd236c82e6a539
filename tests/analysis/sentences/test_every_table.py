"""Every table: no sentence says more than its figures do."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import (
    Counts,
    HowIntervals,
    SnapshotHead,
)
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper.archive import caption_source
from annotation_platform.analysis.sections.agreement import tables as agreement
from annotation_platform.analysis.sections.annotators import tables as annotators
from annotation_platform.analysis.sections.annotators import words as annotators_words
from annotation_platform.analysis.sections.annotators.measure import why_no_leniency
from annotation_platform.analysis.sections.consensus import tables as consensus
from annotation_platform.analysis.sections.consensus import words as consensus_words
from annotation_platform.analysis.sections.equivalence import tables as equivalence
from annotation_platform.analysis.sections.equivalence import words as equivalence_words
from annotation_platform.analysis.sections.explanations import tables as explanations
from annotation_platform.analysis.sections.human_llm import alternative
from annotation_platform.analysis.sections.human_llm import tables as human_llm
from annotation_platform.analysis.sections.human_llm.alignment import alignment_reading
from annotation_platform.analysis.sections.human_llm.replacement import replacement_reading
from annotation_platform.analysis.sections.judges import alternative as judges_alternative
from annotation_platform.analysis.sections.judges import tables as judges
from annotation_platform.analysis.sections.judges.kinds import KINDS
from annotation_platform.analysis.sections.labels import tables as labels
from annotation_platform.analysis.sections.mate import tables as mate
from annotation_platform.analysis.sections.number_of_raters import tables as raters
from annotation_platform.analysis.sections.pairs import tables as pairs
from annotation_platform.analysis.sections.planning import tables as planning
from annotation_platform.analysis.sections.powered import tables as powered
from annotation_platform.analysis.sections.preferences import strengths
from annotation_platform.analysis.sections.preferences import tables as preferences
from annotation_platform.analysis.sections.rev import tables as rev
from annotation_platform.analysis.sections.sentences import tables as cited
from annotation_platform.analysis.sections.spans import tables as marked
from annotation_platform.analysis.sections.systems import tables as systems
from annotation_platform.analysis.sections.systems import words as systems_words
from annotation_platform.analysis.sections.variants import classes
from annotation_platform.analysis.sections.variants import tables as variants
from annotation_platform.analysis.snapshots.words import extremes_in_words
from annotation_platform.analysis.tables.registry import TABLES
from annotation_platform.studies.models import Study

# Which functions make a table's sentence. What only counts (pairs that rise, citations in the first half, labels
# of two people) is checked against its counts where the table is tested.
SENTENCES: dict[str, Callable[..., Any] | str] = {
    "aspects": extremes_in_words,
    "agreement": agreement._reading,
    "coefficients": agreement._beyond_chance,
    "pairs": pairs._kappas,
    "pair": "counts",
    "changes": "counts",
    "annotators": annotators_words.far_in_words,
    "annotator": annotators.annotator_table,
    "annotator-pairs": annotators.annotator_pairs_table,
    "labels-annotator": labels._spread_reading,
    "labels-system": labels._spread_reading,
    "words-labels": explanations.group_reading,  # and `left_out_reading`
    "words-systems": explanations.group_reading,
    "words-annotators": explanations.group_reading,
    "themes": explanations.themes_reading,
    "consensus": consensus._ways_reading,
    "consensus-ways": consensus._compared_reading,
    "competence": consensus_words.competence_reading,
    "uncertain": "counts",
    "means-label": "lists the means",
    "means-system": "lists the means",
    "means-drawn": "lists the means",
    "differences-drawn": systems_words.how_many_differ,
    "ranks": systems._who_comes_first,
    "differences": systems_words.how_many_differ,  # and `_compared_on`
    "means-aspects": systems._most_and_least,
    "wins": preferences._who_wins,
    "strengths": strengths._strongest,
    "preference-effects": strengths._effect_in_words,
    "cited-agreement": cited._reading,
    "cited-sizes": "counts",
    "cited-coverage": "counts",
    "cited-places": "counts",
    "marked-agreement": marked._reading,
    "marked-labels": "counts",
    "variants": variants._variants_reading,
    "mixtures": variants._mixtures_reading,
    "classes": classes._classes_reading,
    "own-order": classes._own_order_reading,
    "comparison": variants._comparison_reading,
    "plan": planning.plan_reading,
    "plan-curve": planning.curve_reading,
    "plan-variances": planning.variances_reading,
    "raters": raters._curve_reading,
    "one-more": raters._one_more_reading,
    "llm-replacement": replacement_reading,
    "llm-alternative": alternative.reading,
    "llm-alternative-people": alternative.people_reading,
    "llm-alignment": alignment_reading,
    "llm-additional": human_llm._additional_reading,
    "llm-confusion": human_llm._confusion_reading,
    "judges": judges.judges_reading,
    "judge-alternative": judges_alternative.reading,
    **{kind.name: judges.bias_reading for kind in KINDS},
    "mate-correlations": mate._correlations_reading,
    "mate-systems": mate._systems_reading,
    "mate-weights": mate._fit_reading,
    "mate-bias": mate._bias_reading,
    "preference": human_llm._preference_reading,
    "equivalence": equivalence_words.simple_ways,
    "equivalence-systems": equivalence_words.widest_gap,
    "equivalence-all": equivalence_words.of_all_reading,
    "equivalence-differences": powered.differences_reading,
    "powered": powered.means_reading,
    "powered-differences": powered.differences_reading,
    "powered-scores": powered.means_reading,
    "powered-scores-differences": powered.differences_reading,
    "equivalence-calibration": equivalence.calibration_table,
    "equivalence-rules": equivalence.rules_table,
    "rev": rev._signed,
    "rev-steps": rev._steps_reading,
    "rev-people": rev._beside_people,
}


def test_every_table_that_a_page_shows_is_among_these() -> None:
    assert set(SENTENCES) == set(TABLES)


@pytest.mark.parametrize(
    ("counts", "batches", "sentence"),
    [
        ({}, [], "Data: Tides (scheme ebr v1, no batch), 0 judgments of 0 items by 0 annotators. 95\u00a0% intervals"),
        (
            {"judgments": 1, "items": 1, "annotators": 1},
            [2],
            "1 judgment of 1 item by 1 annotator. 95\u00a0%",
        ),
        ({"judgments": 1200, "items": 2, "annotators": 3}, [1, 2, 3], "batches 1-3), 1,200 judgments of 2 items by 3"),
    ],
)
def test_captions_name_their_data(counts: dict[str, int], batches: list[int], sentence: str) -> None:
    intervals = HowIntervals(level=0.95, resamples=1000, seed=0, resampled="items", units=0)
    head = SnapshotHead.model_construct(
        scheme="ebr v1", batches=tuple(batches), counts=Counts(**counts), intervals=intervals
    )
    snapshot = AgreementSnapshot(head=head, signature="a" * 64)
    told = caption_source(Study(name="Tides"), snapshot, head.counts, intervals=intervals.drawing("articles"))
    assert sentence in told
    assert ". 95\u00a0% intervals: of shares and of means on a scale Wilson's, of differences" in told
    assert told.endswith(f"of all others from 1,000 resamples of articles, seed 0. Signature {'a' * 16}.")
    without = caption_source(Study(name="Tides"), snapshot, head.counts, intervals="")
    assert sentence.split(". 95")[0] in without
    assert "intervals" not in without


@pytest.mark.parametrize(
    ("is_ordered", "sentence"),
    [
        (True, "The labels have no numbers, so none is higher"),
        (False, "The labels have no order (a nominal scale), so"),
    ],
)
def test_why_there_is_no_leniency(is_ordered: bool, sentence: str) -> None:
    """A nominal scale's labels may well have numbers: they are not why."""
    assert why_no_leniency(is_ordered=is_ordered).startswith(sentence)
