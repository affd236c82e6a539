"""BERTScore by hand, by brute force, and with a real model where one is installed."""

import numpy as np
import pytest

from annotation_platform.core.methods.bert_score import bert_score, token_vectors
from annotation_platform.core.methods.rev.language_models import LanguageModel
from tests import rests_on
from tests.core.tiny_models import needs_small_model, small_model


def test_a_text_is_wholly_like_itself() -> None:
    vectors = np.random.default_rng(1).standard_normal((5, 3))
    found = bert_score(vectors, vectors)
    assert (found.precision, found.recall, found.f1) == pytest.approx((1, 1, 1))


def test_by_hand() -> None:
    """cos: y1·x1 = 1, y1·x2 = 0.6, y2·x1 = 0, y2·x2 = 0.8."""
    found = bert_score([[1, 0], [0, 1]], [[1, 0], [0.6, 0.8]])
    assert found.precision == pytest.approx((1 + 0.8) / 2)
    assert found.recall == pytest.approx((1 + 0.8) / 2)
    longer = bert_score([[1, 0]], [[1, 0], [0.6, 0.8]])
    assert (longer.precision, longer.recall) == pytest.approx((1, 0.8))


def test_the_length_of_vectors_does_not_matter_and_nothing_is_like_nothing() -> None:
    assert bert_score([[10, 0]], [[0.1, 0]]).f1 == pytest.approx(1)
    assert bert_score([], [[1, 0]]).f1 == 0
    assert bert_score([[1, 0]], [[-1, 0]]).f1 == 0


def test_it_is_greedy_matching_over_all_pairs() -> None:
    rng = np.random.default_rng(7)
    candidate, reference = rng.standard_normal((4, 6)), rng.standard_normal((7, 6))

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    found = bert_score(candidate, reference)
    assert found.precision == pytest.approx(np.mean([max(cosine(y, x) for x in reference) for y in candidate]))
    assert found.recall == pytest.approx(np.mean([max(cosine(y, x) for y in candidate) for x in reference]))


@pytest.mark.long(*rests_on.REV, "annotation_platform/core/methods/bert_score.py")
@needs_small_model
def test_a_real_model_finds_a_paraphrase_more_alike_than_another_matter() -> None:
    model = LanguageModel.load(small_model())
    texts = [
        "The cat slept on the sofa.",
        "A cat was sleeping on the couch.",
        "Interest rates rose by a quarter.",
    ]
    reference, alike, other = token_vectors(model, texts)
    assert bert_score(reference, reference).f1 == pytest.approx(1, abs=1e-6)
    assert bert_score(alike, reference).f1 > bert_score(other, reference).f1
