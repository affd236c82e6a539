"""The garbage collector waits while work goes on that leaves it nothing, and then works as before."""

import gc
from collections.abc import Iterator

import pytest

from annotation_platform.core.collector import uncollected


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_waits_and_goes_on() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="no more"), uncollected():
        raise ValueError("no more")
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()
