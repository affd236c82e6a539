"""Numbers that are none, or longer than Python reads and databases keep, at every address of ours: nothing breaks."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.urls import resolve

from annotation_platform.corpus.importers.cells import RowError, whole_of
from annotation_platform.corpus.importers.spelling import number_of
from tests import rests_on
from tests.accounts.everybody import OURS, address, data, parameters_of, people, signed_in
from tests.some import some

__all__ = ["data", "people"]  # the fixtures
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.long(*rests_on.PLATFORM),
    pytest.mark.xdist_group("every address"),
    pytest.mark.filterwarnings("ignore:.*received a naive datetime"),
]

SOURCES = (Path(__file__).parents[2] / "annotation_platform").rglob("*.py")
_SENT = re.compile(r"""(?:GET|POST|params|asked|sent|query)(?:\.get|\.getlist)?[\[(]"([\w.-]+)\"""")
_PRESSED = re.compile(r"""(?:== |in \(|, |[{(] ?|^ +)"([a-z_]+)"(?=:| else|\)|,| )""", re.MULTILINE)
NAMES = sorted({name for source in SOURCES for name in _SENT.findall(source.read_text())})
"""Whatever a page reads of an address or a form."""
BUTTONS = ("step", "do", "action", "decision", "choice", "verdict")
STRANGE = ("9" * 5_000, "²", "NaN")
SHAPES = {frozenset(parameters_of(name)): name for name in OURS if parameters_of(name)}
"""What addresses are made of, and one page of each kind."""


def test_what_is_no_number_of_a_file_is_none() -> None:
    for written in ("9" * 5_000, "1e999", "-Infinity", "NaN", 10**400, float("inf"), "²", None, []):
        assert number_of(written) is None, str(written)[:20]
    assert number_of("1.5") == 1.5


@pytest.mark.parametrize("typed", ["1e400", "9" * 5_000, "NaN", "-Infinity"])
def test_a_cell_that_is_no_number_is_a_mistake_with_its_place(typed: str) -> None:
    with pytest.raises(RowError) as told:
        whole_of({"turn": typed}, "turn", least=1)
    assert told.value.reason.code == "corpus.value_no_whole_number"


def test_the_names_are_those_that_pages_read() -> None:
    known = {"from", "after", "before", "minutes", "batch", "line", "characters", "width", *BUTTONS[:4]}
    assert known - {*NAMES} == set()


@pytest.mark.parametrize("typed", STRANGE, ids=ascii)
def test_no_page_breaks_by_what_its_address_says(typed: str, people: dict[str, Any]) -> None:
    client = signed_in(people, "admin")
    for name in OURS:
        reply = client.get(address(name, people), dict.fromkeys(NAMES, typed))
        assert reply.status_code < 500, name


def test_no_page_breaks_by_what_a_form_says(people: dict[str, Any]) -> None:
    """Every button of the pages that read numbers by themselves."""
    client = signed_in(people, "admin")
    sources = {name: _source(address(name, people)) for name in OURS}
    for name in some([name for name, source in sources.items() if "typed_number(" in source]):
        for pressed in sorted({*_PRESSED.findall(sources[name])}):
            with transaction.atomic():
                sent = dict.fromkeys(NAMES, STRANGE[0]) | dict.fromkeys(BUTTONS, pressed)
                reply = client.post(address(name, people), sent)
                transaction.set_rollback(True)
            assert reply.status_code < 500, (name, pressed)


def _source(where: str) -> str:
    return Path(str(sys.modules[resolve(where).func.__module__].__file__)).read_text()


@pytest.mark.parametrize("name", sorted(SHAPES.values()))
def test_an_address_with_something_very_long_in_it_is_not_there(name: str, people: dict[str, Any]) -> None:
    client, usual = signed_in(people, "admin"), address(name, people)
    parts = usual.strip("/").split("/")
    for place in range(len(parts)):
        strange = "/".join([*parts[:place], "9" * 10_000, *parts[place + 1 :]])
        assert client.get(f"/{strange}/").status_code in (404, 405, 422), place
