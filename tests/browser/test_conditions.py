"""The browser's conditions are the core's: one table of cases, and many drawn at random, go through both."""

import random
from typing import Any

import pytest

from annotation_platform.core.schemes.conditions import holds
from tests.browser.both_sides import in_browser

pytestmark = pytest.mark.browser

SCRIPT = "conditions.js"
A_IS_X = {"aspect": "a", "is": ["x"]}
CASES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    (A_IS_X, {"a": "x"}, True),
    (A_IS_X, {"a": "y"}, False),
    (A_IS_X, {}, False),
    (A_IS_X, {"a": None}, False),
    (A_IS_X, {"a": ""}, False),
    ({"aspect": "a", "is": ["x", "y"]}, {"a": "y"}, True),
    ({"aspect": "a", "is": ["none"]}, {"a": []}, True),
    ({"aspect": "a", "is": ["none"]}, {"a": ["x"]}, False),
    ({"aspect": "a", "is": ["none"]}, {"a": None}, False),
    ({"aspect": "a", "is": ["y"]}, {"a": ["x", "y"]}, True),
    ({"aspect": "a", "answered": True}, {"a": "0"}, True),
    ({"aspect": "a", "answered": True}, {"a": []}, True),
    ({"aspect": "a", "answered": True}, {"a": ""}, False),
    ({"aspect": "a", "answered": True}, {}, False),
    ({"not": A_IS_X}, {"a": "x"}, False),
    ({"not": A_IS_X}, {}, True),
    ({"all": [A_IS_X, {"aspect": "b", "answered": True}]}, {"a": "x", "b": "z"}, True),
    ({"all": [A_IS_X, {"aspect": "b", "answered": True}]}, {"a": "x"}, False),
    ({"any": [A_IS_X, {"aspect": "b", "answered": True}]}, {"b": "z"}, True),
    ({"any": [A_IS_X, {"aspect": "b", "answered": True}]}, {"a": "y"}, False),
    # Names that every JavaScript object has are aspects like any other.
    ({"aspect": "constructor", "answered": True}, {}, False),
    ({"aspect": "tostring", "is": ["x"]}, {"tostring": "x"}, True),
    ({"aspect": "__proto__", "answered": True}, {}, False),
]


def drawn(random_: random.Random, depth: int) -> dict[str, Any]:
    """A condition in plain form, of a few aspects and choices so that they meet."""
    form = random_.choice(("is", "is", "answered", "not", "all", "any") if depth else ("is", "answered"))
    if form == "is":
        return {"aspect": random_.choice("abc"), "is": random_.sample(["x", "y", "none"], k=random_.randint(1, 2))}
    if form == "answered":
        return {"aspect": random_.choice("abc"), "answered": True}
    if form == "not":
        return {"not": drawn(random_, depth - 1)}
    return {form: [drawn(random_, depth - 1) for _ in range(random_.randint(1, 3))]}


def test_the_table_means_the_same_in_both(browser: Any) -> None:
    expected = [answer for _, _, answer in CASES]
    assert [holds(plain, values) for plain, values, _ in CASES] == expected
    assert in_browser(browser, SCRIPT, "holds", [[plain, values] for plain, values, _ in CASES]) == expected


def test_a_thousand_drawn_conditions_mean_the_same_in_both(browser: Any) -> None:
    random_ = random.Random(7)
    said = ["x", "y", "z", "", None, [], ["x"], ["x", "y"]]
    cases = [
        [drawn(random_, depth=3), {key: random_.choice(said) for key in "abc" if random_.random() < 0.8}]
        for _ in range(1000)
    ]
    expected = [holds(plain, values) for plain, values in cases]
    assert 200 < sum(expected) < 800
    assert in_browser(browser, SCRIPT, "holds", cases) == expected
