"""Whatever JSON is sent as a judgment is taken or told field by field; it never breaks anything."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    Scheme,
    build_scheme,
    check_judgment,
    preset,
    presets,
)

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
SHAPE = ItemShape(sentences=5, documents=(3,), choices=3, candidates=3)


@cache
def scheme_of(key: str) -> Scheme:
    """Built once for all examples: that takes most of an example's time."""
    return build_scheme(dict(preset(key)))


@pytest.mark.parametrize("key", presets())
@settings(max_examples=60)
@given(data=st.data())
def test_any_json_is_taken_or_told(key: str, data: Any) -> None:
    scheme = scheme_of(key)
    keys = [aspect.key for aspect in scheme.aspects]
    slots = st.sampled_from([*keys, *(f"{each}.{n}" for each in keys for n in (1, 2)), "cannot_judge", "nonsense"])
    sent = data.draw(st.dictionaries(slots, anything, max_size=6))
    refused: InvalidJudgmentError | None = None
    try:
        check_judgment(scheme, sent, SHAPE)
    except InvalidJudgmentError as error:
        refused = error
    assert refused is None or refused.errors
