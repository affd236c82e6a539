"""The first example of the client's README, line by line as it stands there, against a real server."""

import contextlib
import io
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas
import pytest
from annotation_client import Platform, Study

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS, opinion
from tests.workers.installation import ROOT

pytestmark = pytest.mark.xdist_group("client")

MANY = [{**row, "question": f"{row['question']} Night {night}."} for row in ROWS for night in range(6)]


def annotate(served: Served) -> int:
    """Three people who judge all of it, once all of it is open; how many batches it has."""
    with Platform(served.url, token=served.token) as platform:
        end = time.monotonic() + 60
        while not (
            found := [each for each in platform.studies.all() if each.record.name == "My study"]
        ) or not _is_open(found[0]):
            assert time.monotonic() < end, "Nothing was released."
            time.sleep(0.2)
        link = found[0].invite(max_uses=3).link or ""
        for who in range(3):
            assert ScriptedAnnotator(link, f"Annotator {who}", opinion(who)).work(found[0].slug) == len(MANY)
        return len(found[0].batches())


def _is_open(study: Study) -> bool:
    return {batch.state for batch in study.batches()} == {"open"}


def test_every_line_does_what_it_says(served: Served) -> None:
    found = re.search(r"```python\n(.*?)```", (ROOT / "client" / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    code = found[1].replace("https://annotate.example.org", served.url).replace("ap_…", served.token)
    assert "study.release(batch_size=20)\n" in code
    names: dict[str, Any] = {"rows": MANY}
    printed = io.StringIO()
    with ThreadPoolExecutor(1) as thread, contextlib.redirect_stdout(printed):
        people = thread.submit(annotate, served)
        exec(code, names)
        assert {batch.state for batch in names["study"].batches()} == {"scored"}, "figures leave out what is not scored"
    assert people.result() == 3  # of 20, 20 and 8 items
    assert isinstance(names["frame"], pandas.DataFrame)
    assert len(names["frame"]) == 3 * len(MANY)
    assert re.match(r"0\.\d+ \[.*\]", printed.getvalue()), printed.getvalue()
    assert all(word in printed.getvalue() for word in ("144 judgments", "code ")), printed.getvalue()
    names["platform"].close()
