"""Two snapshots beside each other: whatever differs is said, in what they rest on and in every section's figures."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.history.comparison import before, compared_table, snapshots_of, what_differs
from annotation_platform.analysis.sections.history.stored_figures import figures_in
from annotation_platform.analysis.snapshots.stored import FIGURES, finished_batches, latest_snapshot, why_stale
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.errors import NotThereError
from annotation_platform.scoring.methods import equivalence
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.studies.models import Study
from tests.analysis.sections.equivalence import test_equivalence_figures
from tests.analysis.sections.human_llm import test_human_llm
from tests.analysis.sections.rev import test_rev_figures
from tests.analysis.study_rows import client_of, score, scored_study
from tests.markup import markup
from tests.scoring.judged_studies import explanation_study
from tests.some import some

pytestmark = pytest.mark.django_db


def snapshot_of(study: Study, **how: Any) -> AgreementSnapshot:
    return take_snapshot(study=study, **{"resamples": 20, **how})


def judged_study() -> Study:
    study = explanation_study(questions=6, annotators=5, values=test_human_llm.opinion)
    test_human_llm.judged(study, {})
    return study


def test_figures_in_different_forms_are_not_compared_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    study = judged_study()
    then = snapshot_of(study)
    alpha = FIGURES["krippendorff_alpha"]
    monkeypatch.setitem(FIGURES, alpha.key, replace(alpha, version=alpha.version + 1))
    now = snapshot_of(study, resamples=30)
    assert then != now
    assert "Not compared, since the two have them in different forms: Krippendorff α." in what_differs(then, now)
    figures = [row["figure"] for row in compared_table(then, now, then.head.aspects[0].aspect).cells]
    assert figures, "the others"
    assert not [each for each in figures if each.startswith("Krippendorff")]


def run_that_takes_nothing(study: Study) -> ScoringRun:
    """Another run of answer equivalence, to which every answer is wrong."""
    run = study.scoring_runs.get(method=Method.EQUIVALENCE)
    scores = list(run.item_scores.all())
    run.pk, run.signature = None, "another"
    run.save()
    for each in scores:
        each.pk, each.run = None, run
        if each.aspect == equivalence.VERDICT:
            each.value, each.label = 0.0, "no"
        each.save()
    return run


class TestAnotherRunOfAnotherMethod:
    @pytest.fixture
    def study(self) -> Study:
        return test_equivalence_figures.planted()

    def test_the_run_that_counts_and_what_was_read_are_said(self, study: Study) -> None:
        then, first = snapshot_of(study), study.scoring_runs.get()
        second = run_that_takes_nothing(study)
        assert what_differs(then, snapshot_of(study)) == [
            f"Answer equivalence: run {first.pk} then, run {second.pk} now.",
            "What was read is not the same for: Answer equivalence.",
        ]
        page = markup(client_of(study).get(reverse("agreement", args=[study.slug])))
        assert f"Answer equivalence: run {first.pk} then" in page
        assert "What the figures rest on is the same" not in page

    def test_its_figures_stand_then_and_now_and_the_others_are_counted_only(self, study: Study) -> None:
        then = snapshot_of(study)
        run_that_takes_nothing(study)
        now = snapshot_of(study)
        table = compared_table(then, now, then.head.aspects[0].aspect)
        rows = {row["figure"]: row for row in table.cells}
        assert {figure.split(" · ")[0] for figure in rows} == {"Answer equivalence"}
        accuracy = rows["Answer equivalence · ways · classifier · accuracy"]
        assert (accuracy["then"], accuracy["now"]) == (0.9, 0.5)
        assert rows["Answer equivalence · systems · alder · taken"]["now"] == 0
        assert f"{len(rows)} of " in table.reading
        assert int(table.reading.split(" of ")[1].split()[0].replace(",", "")) > 2 * len(rows)

    def test_a_run_of_a_first_kind_is_one_where_there_was_none(self) -> None:
        study = explanation_study(values=test_human_llm.opinion)
        then = snapshot_of(study)
        run = test_human_llm.judged(study, {})
        differs = what_differs(then, snapshot_of(study))
        assert f"Language-model raters by aspect: no run then, run {run.pk} now." in differs
        read = "Number of raters, Human and LLM, People and model at once, Judges"
        assert f"What was read is not the same for: {read}." in differs


def test_of_a_snapshot_that_did_not_write_its_runs_down_it_is_not_said_that_it_had_none() -> None:
    study = test_equivalence_figures.planted()
    snapshot = snapshot_of(study)
    old = AgreementSnapshot.objects.get(pk=snapshot.pk)
    old.runs = None
    old.save(update_fields=["runs"])
    assert what_differs(old, snapshot) == []
    assert why_stale(study, old, finished_batches(study)) == ""


def test_scores_that_nobody_asked_for_are_not_said_to_differ() -> None:
    study = test_equivalence_figures.planted()
    then = snapshot_of(study)
    run = ScoringRun.objects.create(study=study, method=Method.EBR, scorer="distilled", status="done")
    now = snapshot_of(study)
    assert what_differs(then, now)[0] == f"Explanation-based rescaling: no run then, run {run.pk} now."
    assert now.scores == "labels as given"


def test_other_seeds_and_resamples_change_intervals_and_this_is_a_difference() -> None:
    study = scored_study()
    then, now = snapshot_of(study), snapshot_of(study, seed=1)
    assert what_differs(then, now) == ["Intervals: seed 0 then, 1 now."]
    rows = {row.figure: row for row in compared_table(then, now, "completeness").rows}
    alpha = rows["Krippendorff α · raw"]
    assert alpha.change == 0
    assert (alpha.then.low, alpha.then.high) != (alpha.now.low, alpha.now.high)


def test_nothing_is_listed_of_a_snapshot_beside_itself() -> None:
    snapshot = snapshot_of(scored_study())
    table = compared_table(snapshot, snapshot, "completeness")
    assert table.rows == []
    assert table.reading.startswith("None of ")
    with pytest.raises(NotThereError):
        compared_table(snapshot, snapshot, "color")


@pytest.mark.parametrize(
    ("made", "sections"),
    [
        (scored_study, ["τ", "Pair, all items", "Difference of systems", "Number of raters", "Variants", "Work"]),
        (judged_study, ["Human and LLM", "Judges", "Number of raters", "Annotator", "Share of label"]),
        (test_equivalence_figures.planted, ["Answer equivalence"]),
        (test_rev_figures.planted, ["Rationales"]),
    ],
)
def test_every_section_is_walked_and_no_figure_hides_another(made: Callable[[], Study], sections: list[str]) -> None:
    snapshot = snapshot_of(made())
    for aspect in some(each.aspect for each in snapshot.head.aspects):
        stored = dict(snapshot.sections.filter(aspect__in={"", aspect}).values_list("key", "figures"))
        paths = [path for path, _ in figures_in(stored, aspect)]
        assert len(paths) == len(set(paths))
        assert {path[0] for path in paths} >= set(sections) or aspect != snapshot.head.aspects[0].aspect


def test_figures_of_other_aspects_are_left_out_and_points_of_a_scatter_too() -> None:
    figure = {"value": 0.5, "interval": [0.4, 0.6]}
    found = dict(
        figures_in(
            {
                "human_llm": {"aspects": {"one": {"accuracy": figure}, "two": {"accuracy": figure}}},
                "rev": {"points": [{"kind": "written", "rev": 1.0}, {"kind": "written", "rev": 2.0}]},
                "weather": {"rain": 3},
            },
            "one",
        )
    )
    assert found == {
        ("Human and LLM", "accuracy"): (0.5, (0.4, 0.6)),
        ("weather", "rain"): (3, None),
    }


def test_what_came_before_is_by_when_it_was_measured_also_when_data_come_back() -> None:
    study = scored_study()
    first = snapshot_of(study)
    score(study, lambda annotation: 50.0 + annotation.item_id % 7)
    second = snapshot_of(study)
    assert before(second) == first
    assert before(first) is None
    study.scoring_runs.filter(pk=second.run_id).delete()
    assert snapshot_of(study) == first == latest_snapshot(study)
    first.refresh_from_db()
    assert before(first) == second
    assert list(snapshots_of(study)) == [first, second]
    client = client_of(study)
    assert "This is the first" not in markup(client.get(reverse("agreement", args=[study.slug])))
    asked = {"then": str(first.pk), "now": str(second.pk)}  # the wrong way round
    page = markup(client.get(reverse("compare_snapshots", args=[study.slug]), asked))
    assert f"then={second.pk}&amp;now={first.pk}" in page


def test_a_snapshot_outlives_its_run_and_still_says_whose_scores_it_has() -> None:
    study = scored_study()
    snapshot = snapshot_of(study)
    ScoringRun.objects.all().delete()
    snapshot.refresh_from_db()
    client = client_of(study)
    page = markup(client.get(reverse("agreement", args=[study.slug])))
    assert "The scoring run that its figures rest on was deleted." in page
    assert "computed by themselves" not in page  # nothing awaits it: somebody has to ask
    assert "scores: Distilled rescaler" in page
    now = snapshot_of(study)
    assert now == latest_snapshot(study)
    assert any("and are not there yet." in sentence for sentence in what_differs(snapshot, now))
    assert "Distilled rescaler" in markup(client.get(reverse("agreement_snapshots", args=[study.slug])))


def test_the_list_and_the_foot_say_labels_as_given_and_one_batch_is_one() -> None:
    study = test_rev_figures.planted()
    snapshot_of(study)
    ScoringRun.objects.create(study=study, method=Method.EBR, scorer="distilled", status="done")
    snapshot = snapshot_of(study)
    client = client_of(study)
    listed = markup(client.get(reverse("agreement_snapshots", args=[study.slug])))
    assert "<td>labels as given</td>" in listed
    assert "<td>distilled</td>" not in listed
    assert snapshot.head.batches == (1,)
    assert "Batch 1 ·" in listed
    snapshot.head = snapshot.head.model_copy(update={"batches": (1, 2)})
    snapshot.save()
    assert "Batches 1, 2 ·" in markup(client.get(reverse("agreement_snapshots", args=[study.slug])))
