"""The new error in docs/how-to/extend.md does what the page says of it."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import RequestFactory
from django.utils import translation
from django.utils.translation import trans_real

from annotation_platform.accounts.language import in_language
from annotation_platform.core import reasons
from annotation_platform.core.errors import ConflictError
from annotation_platform.middleware import DomainErrorMiddleware

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/extend.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## A new error")[2].partition("\n## ")[0]
SENTENCES, ERROR = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
[CATALOGUE] = re.findall(r"```po\n(.*?)```", SECTION, re.DOTALL)
MESSAGE = re.compile(r'msgid "(.*)"\n(?:msgid_plural "(.*)"\n)?msgstr(?:\[0\])? "(.*)"')


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the example, with its sentences among those of the platform."""
    monkeypatch.setattr(reasons, "_sentences", dict(reasons.all_sentences()))
    names: dict[str, Any] = {}
    exec(SENTENCES, names)
    exec(ERROR, names)
    catalogue = trans_real.translation("ja")._catalog._catalogs[0]  # type: ignore[attr-defined]
    for one, other, japanese in MESSAGE.findall(CATALOGUE):
        monkeypatch.setitem(catalogue, (one, 0) if other else one, japanese)
    return names


def test_it_is_told_in_both_languages(example: dict[str, Any]) -> None:
    with pytest.raises(example["StudyFullError"]) as caught:
        example["let_in"]("Towns", members=2000, at_work=0)
    assert str(caught.value) == "“Towns” has 2,000 members, the most that a study may have."
    assert caught.value.reason.code == "studies.too_many_members"
    with translation.override("ja"):
        assert in_language(caught.value) == "「Towns」には2,000人の参加者がいます。これ以上は増やせません。"


@pytest.mark.parametrize(("count", "sentence"), [(1, "1 member is at work."), (3, "3 members are at work.")])
def test_it_goes_by_the_number(example: dict[str, Any], count: int, sentence: str) -> None:
    with pytest.raises(ConflictError, match=sentence) as caught:
        example["let_in"]("Towns", members=5, at_work=count)
    with translation.override("ja"):
        assert in_language(caught.value) == f"{count}人が作業中です。終わるまで待ってください。"


def test_its_kind_decides_the_status_of_the_page(example: dict[str, Any], rf: RequestFactory) -> None:
    with pytest.raises(ConflictError) as caught:
        example["let_in"]("Towns", members=2000, at_work=0)
    middleware = DomainErrorMiddleware(lambda request: None)  # type: ignore[arg-type,return-value]
    request = rf.get("/")
    request.htmx = True  # type: ignore[attr-defined]
    page = middleware.process_exception(request, caught.value)
    assert page is not None
    assert page.status_code == 409
    assert "“Towns” has 2,000 members" in page.content.decode()
