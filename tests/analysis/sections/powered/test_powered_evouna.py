"""EVOUNA's human verdicts as a study of which a twentieth is shown: what its page says is what the estimator says.

That the intervals hold, and how much narrower they are, is counted over 200 draws on the study's own columns.
"""

from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.equivalence.measuring import probabilities_in_folds
from annotation_platform.core.methods.equivalence.train import SYSTEMS, read_evouna
from annotation_platform.core.methods.equivalence.training import JudgedPairs, Settings
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.studies.models import Study
from annotation_platform.studies.services import declare_random_parts
from tests.analysis.study_rows import client_of, run_of
from tests.core.coverage.prediction_powered import evouna, evouna_differences
from tests.factories import OPERATOR
from tests.published import EVOUNA
from tests.some import some

VERDICT, SHOWN, DRAWS = "equivalent", 0.05, 200

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not EVOUNA.is_file(), reason="EVOUNA's answers (shared/data/evouna/NQ.json) are not here."),
    pytest.mark.long(
        "annotation_platform/core/statistics/prediction_powered.py",
        "annotation_platform/core/statistics/clustered_means.py",
        "annotation_platform/analysis/sections/powered/*.py",
        "annotation_platform/analysis/measuring/judged_part.py",
        "annotation_platform/core/methods/equivalence/*",
        "annotation_platform/corpus/importers/evouna.py",
        "tests/core/coverage/prediction_powered.py",
        "tests/analysis/sections/powered/test_powered_evouna.py",
    ),
]


@pytest.fixture
def study() -> Study:
    call_command("import_study", "evouna", str(EVOUNA), name="Quiz", stdout=StringIO(), stderr=StringIO())
    return Study.objects.get(name="Quiz")


def columns_of(study: Study) -> tuple[list[int], JudgedPairs]:
    """The study's items and its judged pairs, in one order; a question asked twice is one question to the model."""
    judged = read_evouna(EVOUNA)
    judged = judged.take(np.flatnonzero([bool(pair.candidate.strip()) for pair in judged.pairs]))  # one is a space
    order = {name: place for place, name in enumerate(SYSTEMS)}
    rows = study.items.values_list(
        "pk",
        "question__position",
        "candidates__answer__system__name",
        "candidates__answer__text",
        "annotations__values",
    )
    found = sorted(rows, key=lambda row: (row[1], order[row[2]]))
    assert [row[3] for row in found] == [pair.candidate.strip() for pair in judged.pairs]
    assert [row[4][VERDICT] == "yes" for row in found] == judged.right.tolist()
    return [row[0] for row in found], judged


def as_judge(study: Study, items: list[int], probabilities: np.ndarray) -> ScoringRun:
    """The classifier, which has not seen a question's verdicts, in a judge's place."""
    run = run_of(study, Method.JUDGE)
    labels = np.where(probabilities >= 0.5, "yes", "no").tolist()
    ItemScore.objects.bulk_create(
        (
            ItemScore(run=run, item_id=item, aspect=VERDICT, label=label, value=value)
            for item, label, value in zip(items, labels, probabilities.tolist(), strict=True)
        ),
        batch_size=2_000,
    )
    return run


def test_one_draw_from_the_rows_to_the_page_and_two_hundred_on_its_columns(study: Study) -> None:
    items, judged = columns_of(study)
    probabilities = probabilities_in_folds(judged, Settings())
    as_judge(study, items, probabilities)

    question_of = dict(study.items.values_list("pk", "question_id"))
    questions = np.array([question_of[item] for item in items])
    distinct = np.unique(questions)
    shown = np.isin(questions, distinct[np.random.default_rng(0).random(len(distinct)) < SHOWN])
    hidden = [item for item, seen in zip(items, shown.tolist(), strict=True) if not seen]
    for start in range(0, len(hidden), 5_000):
        Annotation.objects.filter(item__in=hidden[start : start + 5_000]).delete()
    declare_random_parts(study=study, judged=True, scored=False, actor=OPERATOR)

    (run,) = sections_of(take_snapshot(study=study, resamples=20), {"powered"})["powered"]["judges"][VERDICT]
    keys = list(SYSTEMS)
    assert [each["system"] for each in run["means"]] == sorted(keys)
    for each in run["means"]:
        rows = judged.systems == keys.index(each["system"])
        people = np.where(shown, judged.right, np.nan)
        wanted = prediction_powered_mean(people[rows], probabilities[rows], questions[rows], ends=(0.0, 1.0))
        assert wanted.interval is not None
        assert each["both"]["value"] == pytest.approx(wanted.value)
        assert each["both"]["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
        assert each["effective"] == pytest.approx(wanted.n_effective)
        assert each["effective"] > 1.5 * each["people"]["items"]
    assert len(run["differences"]) == 10
    for each in run["differences"]:
        first, second = (judged.systems == keys.index(name) for name in each["systems"])
        both = np.intersect1d(questions[first], questions[second])
        at = [np.flatnonzero(side)[np.searchsorted(questions[side], both)] for side in (first, second)]
        apart = judged.right[at[1]].astype(float) - judged.right[at[0]]
        said = np.where(shown[at[0]], apart, np.nan)
        wanted = prediction_powered_mean(said, probabilities[at[1]] - probabilities[at[0]], both)
        assert each["value"] == pytest.approx(wanted.value)
        assert each["p_value"] == pytest.approx(wanted.p_value)

    page = client_of(study).get(reverse("agreement_human_llm", args=[study.slug])).content.decode()
    assert "What the judge says of all answers" in page

    for name, found in some(evouna(judged, probabilities, shown=SHOWN, draws=DRAWS)):
        assert 0.92 <= found.both <= 0.985, name
        assert found.narrower >= 1.5, name
    for name, found in some(evouna_differences(judged, probabilities, shown=SHOWN, draws=DRAWS)):
        assert 0.92 <= found.both <= 1, name
        assert found.narrower > 1, name
