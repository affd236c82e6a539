"""The service that writes in docs/how-to/extend.md does what the page says of it."""

import re
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.accounts.models import Event
from tests.factories import OPERATOR, make_study

PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/extend.md").read_text(encoding="utf-8")
[SERVICE] = re.findall(r"```python\n(.*?)```", PAGE.partition("## A service that writes")[2], re.DOTALL)


@pytest.mark.django_db
def test_it_changes_the_study_and_leaves_an_event_of_it() -> None:
    names: dict[str, Any] = {}
    exec(SERVICE, names)
    study = make_study(pay="1 dollar")

    names["set_pay"](study=study, pay="2 dollars", actor=OPERATOR)

    study.refresh_from_db()
    assert study.pay == "2 dollars"
    event = Event.objects.get(study=study.pk)
    assert (event.verb, event.via, event.change) == ("study.changed", "tests", {"pay": ["1 dollar", "2 dollars"]})
