import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.signature import canonical_json, signature

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_canonical_json_says_the_same_as_the_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_writing_does_not_matter(value: dict[str, int]) -> None:
    assert signature(dict(reversed(value.items()))) == signature(value)


@given(values, values)
def test_different_inputs_have_different_signatures(one: object, other: object) -> None:
    assert (signature(one) == signature(other)) == (canonical_json(one) == canonical_json(other))


def test_a_signature_never_changes() -> None:
    # printf '{"a":2,"b":"é"}' | sha256sum
    assert signature({"b": "é", "a": 2}) == "ff3e313366d233bb6858e954b99bef40c4bcd340bd99586794a12c248d9052e3"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_cannot_say_has_no_signature(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        signature(value)
