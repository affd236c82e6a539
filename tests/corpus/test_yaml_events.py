"""Plain YAML is read from events as its tree would be read, in a fraction of the time and memory."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.corpus.importers.yaml_events import DoubledKeyError, UnusualYamlError, load_plain

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.dates(),
    st.text(),
    st.sampled_from(["yes", "no", "1_000", "0x1F", "1e3", "=", "~", "2001-01-01", "12:30:45", "", " ", "é", "a: b"]),
)
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)


@given(DATA, st.booleans())
def test_it_reads_what_the_safe_loader_reads(data: object, is_flow: bool) -> None:
    text = yaml.safe_dump(data, default_flow_style=is_flow, allow_unicode=True)
    assert load_plain(text) == yaml.safe_load(text)


@pytest.mark.parametrize("text", ["a: yes", "a: 0o7", "a: 07", "- 1_0", "a: .inf", "a: |\n  b\n  c\n", "a: 1:30"])
def test_plain_words_are_read_as_the_safe_loader_reads_them(text: str) -> None:
    assert load_plain(text) == yaml.safe_load(text)


@pytest.mark.parametrize("text", ["a: &x 1\nb: *x", "<<: {a: 1}", "a: !!binary aGk=", "? [a]\n: b", "--- a\n--- b"])
def test_what_only_the_tree_can_tell_is_left_to_it(text: str) -> None:
    with pytest.raises((UnusualYamlError, yaml.YAMLError)):
        load_plain(text)


def test_a_key_that_is_there_twice_is_told_with_its_line() -> None:
    with pytest.raises(DoubledKeyError) as doubled:
        load_plain("a: 1\nb: 2\na: 3\n")
    assert (doubled.value.key, doubled.value.line) == ("a", 3)


def test_a_megabyte_is_read_in_seconds() -> None:
    row = "- {annotator: Wren, article: a1, values: {correct: yes, reasons: one is left out of the answer given}}\n"
    text = row * (1_000_000 // len(row))
    begun = time.process_time()
    load_plain(text)
    assert time.process_time() - begun < 2.5  # of the tree: more; the benchmark has the figures
