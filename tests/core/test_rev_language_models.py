"""Language models as evaluators, with tiny models of random weights: they prove the path, not the science."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.methods.rev.evaluators import Explained, context, score
from annotation_platform.core.methods.rev.language_models import LanguageModel, ModelError, batches
from tests import rests_on
from tests.core.tiny_models import Counting, make_tiny_model, needs_extra
from tests.some import some

RATIONALES = [
    Explained(
        item,
        "good",
        "in a hive",
        f"a hive has combs {'the cat ' * item}",
        f"bees live in a hive {'water ' * (item % 3)}",
    )
    for item in range(12)
]


@pytest.fixture(scope="module", params=["causal", "seq2seq"])
def tiny(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp(request.param), request.param)


def test_equal_questions_are_asked_once() -> None:
    evaluator = Counting()
    item = ("x", "in a hive", "bees live in a hive")
    rationales = [
        Explained(item[0], kind, item[1], text, item[2]) for kind, text in (("a", "a hive"), ("b", ""), ("c", "a hive"))
    ]

    found = score(rationales, evaluator, per="answer")

    assert len(evaluator.asked) == 2
    assert found.values[0] == found.values[2] > 0
    assert found.values[1] == 0  # without a rationale there is nothing beside b
    assert found.signature == "rev|per:answer|evaluator:counting"


def test_rev_by_hand_and_by_token() -> None:
    # b has the target's word once, r twice more: −1/(1 + 3) with r, −1/(1 + 1) without.
    rationale = Explained(1, "good", "hive", "a hive and a hive", "bees live in a hive")

    whole, by_token = (score([rationale], Counting(), per=per) for per in ("answer", "token"))

    assert whole.values == pytest.approx([-1 / 4 + 1 / 2])
    assert by_token.values == pytest.approx(whole.values)  # a target of one word


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    score(RATIONALES, Counting(), progress=lambda done, all_: told.append((done, all_)), at_once=10)

    assert told[-1][0] == told[-1][1] == len({context(each.rationale, each.vacuous) for each in RATIONALES}) + 3


def test_batches_hold_everything_once_and_keep_to_their_size() -> None:
    pairs = [([1] * (n % 7 + 1), [2] * (n % 3 + 1)) for n in range(40)]
    found = list(batches(pairs, tokens=24))

    assert sorted(place for batch in found for place in batch) == list(range(40))
    assert all(max(sum(map(len, pairs[place])) for place in batch) * len(batch) <= 24 for batch in found)


def test_without_the_extra_one_sentence_says_how_to_install_it(tmp_path: Path) -> None:
    """In a process of its own in which torch cannot be found."""
    program = f"""
import importlib.util, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "torch" else found(name, *rest)
from annotation_platform.core.methods.rev import language_models, training
assert "torch" not in sys.modules and "transformers" not in sys.modules
try:
    language_models.LanguageModel.load({str(tmp_path)!r})
except language_models.ModelError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert "torch" in told
    assert "pip install -r requirements-models.txt" in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.long(*rests_on.CORE)
@needs_extra
def test_likelihoods_are_those_of_the_model_token_by_token(tiny: Path) -> None:
    """Against the plainest computation: one pair at a time, without padding."""
    import torch

    evaluator = LanguageModel.load(tiny)
    pairs = [
        ("where do bees live", "in a hive"),
        ("a", "hive"),
        ("the cat sleeps on the mat . answer :", "the mat is wet"),
    ]

    found = evaluator.log_likelihood(*zip(*pairs, strict=True))

    for place, (read, target) in enumerate(some(evaluator.encode(*pair) for pair in pairs)):
        with torch.no_grad():
            if evaluator.writes:
                start = torch.tensor([[0, *target[:-1]]])
                logits = evaluator.model(input_ids=torch.tensor([read]), decoder_input_ids=start).logits[0]
            else:
                logits = evaluator.model(input_ids=torch.tensor([read + target])).logits[0, len(read) - 1 : -1]
        by_hand = sum(float(row.log_softmax(-1)[token]) for row, token in zip(logits, target, strict=True))
        assert found.totals[place] == pytest.approx(by_hand, abs=1e-4)
        assert found.tokens[place] == len(target)


@pytest.mark.long(*rests_on.REV)
@needs_extra
def test_fine_tuning_makes_the_answers_likelier_and_is_read_again(tiny: Path, tmp_path: Path) -> None:
    from annotation_platform.core.methods.rev.training import Settings, fine_tune

    told: list[Any] = []
    best = fine_tune(tiny, RATIONALES, tmp_path / "run", Settings(epochs=4, learning_rate=1e-2), told=told.append)

    assert told[-1].training_loss < told[0].training_loss
    trained, before = LanguageModel.load(best), LanguageModel.load(tiny)
    assert trained.ends
    assert "seed 0" in trained.name
    questions = [context(each.rationale, each.vacuous) for each in RATIONALES], ["in a hive"] * len(RATIONALES)
    assert (
        trained.log_likelihood(*questions).per("token").mean()
        > before.log_likelihood(*questions).per("token").mean() + 1
    )


@pytest.mark.long(*rests_on.REV)
@needs_extra
def test_a_run_that_was_stopped_ends_with_the_same_model(tiny: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    from annotation_platform.core.methods.rev.training import Settings, TrainingError, fine_tune

    settings = Settings(epochs=4, patience=4, learning_rate=1e-2)
    whole = fine_tune(tiny, RATIONALES, tmp_path / "whole", settings)
    fine_tune(tiny, RATIONALES, tmp_path / "parts", replace(settings, epochs=2))
    with pytest.raises(TrainingError, match="resume it"):
        fine_tune(tiny, RATIONALES, tmp_path / "parts", settings)
    with pytest.raises(TrainingError, match="started with another learning_rate"):
        fine_tune(tiny, RATIONALES, tmp_path / "parts", replace(settings, learning_rate=1.0), resume=True)
    parts = fine_tune(tiny, RATIONALES, tmp_path / "parts", settings, resume=True)

    question = [context("a hive has combs", "bees live in a hive")], ["in a hive"]
    assert [json.loads((folder / "rev.json").read_text())["epoch"]["number"] for folder in (whole, parts)] == [4, 4]
    assert LanguageModel.load(whole).log_likelihood(*question).totals == pytest.approx(
        LanguageModel.load(parts).log_likelihood(*question).totals, abs=1e-5
    )


@pytest.mark.long(*rests_on.REV)
@needs_extra
def test_training_stops_when_the_held_out_answers_no_longer_gain(tiny: Path, tmp_path: Path) -> None:
    from annotation_platform.core.methods.rev.training import Settings, fine_tune

    told: list[Any] = []
    fine_tune(tiny, RATIONALES, tmp_path / "run", Settings(epochs=50, patience=1, learning_rate=0.5), told=told.append)

    assert len(told) < 50
    assert told[-1].held_out_loss >= min(epoch.held_out_loss for epoch in told)


@needs_extra
def test_one_item_is_too_few_to_train_on(tiny: Path, tmp_path: Path) -> None:
    from annotation_platform.core.methods.rev.training import Settings, TrainingError, fine_tune

    with pytest.raises(TrainingError, match="too few"):
        fine_tune(tiny, RATIONALES[:1], tmp_path / "run", Settings())


@pytest.mark.long(*rests_on.CORE)
@needs_extra
def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no readable language model"):
        LanguageModel.load(tmp_path)


@pytest.mark.long(*rests_on.CORE)
@needs_extra
def test_what_is_longer_than_the_model_reads_is_told(tmp_path: Path) -> None:
    evaluator = LanguageModel.load(make_tiny_model(tmp_path))
    with pytest.raises(ModelError, match="reads 64 tokens"):
        evaluator.log_likelihood(["water " * 70], ["wet"])


@needs_extra
def test_the_training_command(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from annotation_platform.core.methods.rev.train_evaluator import main

    file = tmp_path / "rationales.tsv"
    rows = "".join(f"Where do {n} bees live?\tin a hive\tit has combs\n" for n in range(9))
    file.write_text(f"question\tanswer\trationale\n{rows}", encoding="utf-8")
    run = ["--base", str(tiny), "--output", str(tmp_path / "run")]

    asked = [str(file), *run, "--epochs", "1", "--no-alone", "--seed", "7"]
    assert main(asked) == 0
    assert "epoch 1: loss" in capsys.readouterr().out
    assert "seed 7" in LanguageModel.load(tmp_path / "run" / "best").name
    assert main(asked) == 1
    assert "resume it" in capsys.readouterr().err
    assert main([*asked, "--resume"]) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("question,answer\nWho?,me\n", "no column rationale"),
        ("question,answer,rationale\nWho?,me,because\nWho?,,because\n", "line 3: answer must not be blank"),
        ("\ufeffquestion,answer,rationale\nWho?,,because\n", "line 2: answer must not be blank"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_by_line(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from annotation_platform.core.methods.rev.train_evaluator import main

    file = tmp_path / "rationales.csv"
    file.write_text(text, encoding="utf-8")

    assert main([str(file), "--base", "x", "--output", str(tmp_path / "run")]) == 1
    assert says in capsys.readouterr().err
