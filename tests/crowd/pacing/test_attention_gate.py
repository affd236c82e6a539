"""The share of checks that were passed, as a figure that can hold batches back."""

import pytest

from annotation_platform.crowd.checks.models import Check, CheckResult
from annotation_platform.crowd.pacing.gates import Unit, Verdict, attention
from annotation_platform.studies.models import Item
from tests.crowd.checks.pieces import RIGHT, study_with_checks, take
from tests.factories import MemberFactory, make_study, submit

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def test_it_is_the_share_of_all_judgments_of_checks_with_its_interval() -> None:
    study = study_with_checks(overlap=4)
    assert attention(study)[0].value is None, "nobody has judged a check yet"
    for passed in (True, True, True, False):
        place = take(MemberFactory(study=study))
        item = Item.every.get(hit=place.hit_id, is_check=True)
        submit(place, item, **RIGHT)
        judged = item.annotations(manager="every").get(annotator=place.annotator)
        CheckResult.objects.create(
            check_item=Check.objects.filter(study=study).first(),
            annotation=judged,
            assignment=place,
            annotator=place.annotator,
            passed=passed,
        )
    (reading,) = attention(study)
    assert (reading.value, reading.unit, reading.rests_on) == (0.75, Unit.PERCENT, "4 judgments of checks")
    assert reading.low is not None
    assert reading.high is not None
    assert reading.low < 0.75 < reading.high
    verdict = Verdict(reading, 0.8, reading.at("value"))
    assert verdict.holds_back
    assert str(verdict.reason) == "Checks that were passed is 75%; at least 80% is wanted."


def test_a_study_without_checks_has_no_such_figure() -> None:
    assert attention(make_study()) == []
