"""What an evaluator said is kept, and said again where no model is installed."""

from pathlib import Path

import numpy as np
import pytest

from annotation_platform.core.methods.rev import language_models
from annotation_platform.core.methods.rev.evaluators import Explained, score
from annotation_platform.core.methods.rev.language_models import ModelError
from annotation_platform.core.methods.rev.recorded import SUFFIX, RecordedEvaluator, Recorder
from annotation_platform.core.methods.rev.sources import find_source, known_sources
from tests.core.tiny_models import Counting

CASES = [
    Explained("bees", kind, "hive", rationale, "Bees live in a hive.")
    for kind, rationale in (("good", "A hive has combs."), ("other", "A nest is made of twigs."), ("none", ""))
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    recorder = Recorder(Counting())
    score(CASES, recorder)
    file = tmp_path / f"kept{SUFFIX}"
    recorder.save(file, name="kept", is_trained=True)
    return file


def test_scores_are_the_same_without_the_model(file: Path) -> None:
    found, before = score(CASES, RecordedEvaluator(file)), score(CASES, Counting())
    assert found.values == pytest.approx(before.values, abs=1e-3)
    assert np.any(found.values != 0)
    assert found.signature.endswith("evaluator:kept")


def test_it_is_chosen_by_name_also_without_the_optional_extra(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_models, "find_spec", lambda name: None)
    assert known_sources(file.parent) == ["kept"]
    source = find_source("kept", file.parent)
    assert (source.is_trained, source.is_recorded) == (True, True)
    assert score(CASES, source.load()).values == pytest.approx(score(CASES, Counting()).values, abs=1e-3)


def test_it_says_that_it_knows_nothing_else(file: Path) -> None:
    other = Explained("wasps", "good", "nest", "Wasps build one.", "Wasps live in a nest.")
    with pytest.raises(ModelError, match=r"recorded for other rationales than these.*pip install"):
        score([other], RecordedEvaluator(file))


def test_what_is_no_such_file_is_named(tmp_path: Path) -> None:
    (tmp_path / f"broken{SUFFIX}").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="holds no recorded likelihoods"):
        find_source("broken", tmp_path)
