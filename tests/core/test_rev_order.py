"""REV by a real, small language model on rationales of ours: good above vacuous above mismatched ones.

The model is the one that is installed as a package with the optional extra; on two processor cores this takes a
minute or two, and half a minute more the first time, when the model is made ready.
"""

import pytest

from annotation_platform.core.methods.rev.scores import RationaleReport
from benchmarks.rev import KINDS, read, zero_shot
from tests import rests_on
from tests.core.tiny_models import needs_small_model, small_model

pytestmark = pytest.mark.long(*rests_on.REV)

FEWEST = 200  # items


def test_there_are_enough_items_and_each_has_its_rationales() -> None:
    rows = read()
    assert len({row["question"] for row in rows}) == len(rows) >= FEWEST
    assert all(row[column].strip() for row in rows for column in ("answer", "rationale", "restated"))
    assert all(row["rationale"] != row["restated"] for row in rows)


@pytest.fixture(scope="module")
def report() -> RationaleReport:
    return zero_shot(small_model(), read())


@needs_small_model
def test_good_rationales_score_above_vacuous_ones_and_these_above_mismatched_ones(report: RationaleReport) -> None:
    good, vacuous, mismatched = report.kinds
    assert tuple(each.kind for each in report.kinds) == KINDS
    assert good.mean.interval
    assert vacuous.mean.interval
    assert mismatched.mean.interval
    assert good.mean.interval.low > max(0, vacuous.mean.interval.high)
    assert min(0, vacuous.mean.interval.low) > mismatched.mean.interval.high
    assert all(step.p_value is not None and step.p_value < 0.01 for step in report.steps)


@needs_small_model
def test_a_vacuous_rationale_is_worth_little_beside_either(report: RationaleReport) -> None:
    good, vacuous, mismatched = (each.mean.value for each in report.kinds)
    assert good is not None
    assert vacuous is not None
    assert mismatched is not None
    assert abs(vacuous) < min(good, -mismatched) / 2
