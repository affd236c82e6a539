"""What a judgment teaches: its own reading, in part what others wrote of the item, and never what is held out."""

from dataclasses import replace

import numpy as np
import pytest

from annotation_platform.core.methods.distilled.held_out import outputs_unseen, random_halves
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments
from annotation_platform.core.methods.distilled.targets import means_of_others, targets
from annotation_platform.core.methods.distilled.training import Settings, train

NUMBERS = (0.0, 30.0, 70.0, 100.0)
NOTHING_OF_OTHERS, HALF_OF_OTHERS = Settings(others=0), Settings(others=0.5)


def five() -> ScoredJudgments:
    """Item 0 by annotators 0, 0 (twice), and 1; item 1 by annotator 1 alone; item 2 by 2 alone."""
    return ScoredJudgments(
        labels=np.array([3, 2, 0, 3, 0]),
        explanations=["good", "fair", "bad", "good", "bad"],
        scores=np.array([100.0, 60.0, 0.0, 100.0, 10.0]),
        annotators=np.array([0, 0, 1, 1, 2]),
        items=np.array([0, 0, 0, 1, 2]),
        articles=np.array([0, 0, 0, 1, 2]),
        corpora=np.zeros(5, dtype=np.int64),
        scale_numbers=NUMBERS,
    )


def test_targets_by_hand() -> None:
    own = [[100, 1, 0], [60, 0, 0], [0, 0, 1], [100, 1, 0], [10, 0, 0]]
    others = [[0, 0, 1], [0, 0, 1], [80, 0.5, 0], [100, 1, 0], [10, 0, 0]]
    assert targets(five()).tolist() == own
    assert targets(five(), others=1).tolist() == others
    np.testing.assert_allclose(targets(five(), others=0.25), 0.75 * np.array(own) + 0.25 * np.array(others))


def test_names_of_people_and_items_are_any_numbers() -> None:
    values = np.arange(5.0)[:, None]
    far = replace(five(), items=five().items * 1_000_003, annotators=five().annotators * 7_001 + 3)
    assert means_of_others(far, values).tolist() == means_of_others(five(), values).tolist()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        targets(five(), others=share)


def many(n: int = 600) -> ScoredJudgments:
    """Three annotators judge each item; two words tell its score alike, but the third annotator reads “odd” as 100 in
    the language model's eyes though everybody else finds these items bad."""
    rng = np.random.default_rng(2)
    items = np.arange(n) // 3
    bad = rng.integers(0, 2, n // 3)[items].astype(bool)
    annotators = np.arange(n) % 3
    odd = bad & (annotators == 2)
    return ScoredJudgments(
        labels=np.where(bad, 2, 3),
        explanations=np.where(odd, "odd thing", np.where(bad, "poor thing", "fine thing")).tolist(),
        scores=np.where(odd, 100.0, np.where(bad, 20.0, 100.0)),
        annotators=annotators,
        items=items,
        articles=items // 10,
        corpora=np.zeros(n, dtype=np.int64),
        scale_numbers=(0.0, 30.0, 70.0, 100.0),
    )


def some(n: int = 600) -> ScoredJudgments:
    judgments = many(n)
    first_of_each = np.arange(4)  # every label is used
    labels = judgments.labels.copy()
    labels[first_of_each] = first_of_each
    return replace(judgments, labels=labels)


def test_a_word_learns_from_what_others_wrote_of_the_same_items() -> None:
    """“odd” is written only of items that the others find bad."""
    judgments = replace(some(), annotators=np.arange(600) // 3 % 2 * 3 + np.arange(600) % 3)
    alone, with_others = (train(judgments, each) for each in (NOTHING_OF_OTHERS, HALF_OF_OTHERS))
    texts = ["odd thing", "poor thing", "fine thing"]
    labels = [2, 2, 3]
    odd, poor, fine = alone.predict(labels, texts, NUMBERS)
    assert odd > 90
    assert poor < 30
    odd, poor, fine = with_others.predict(labels, texts, NUMBERS)
    assert odd == pytest.approx(60, abs=8)  # half of 100, half of the others' 20
    assert poor == pytest.approx(40, abs=8)  # half of 20, half of the mean of 20 and 100
    assert fine == 100


def test_a_prediction_reads_nobody_elses_judgment() -> None:
    """The same label and words are scored alike whatever the others of the item wrote."""
    judgments = some()
    model = train(judgments, HALF_OF_OTHERS)
    predicted = model.predict(judgments.labels, judgments.explanations, NUMBERS)
    for label in range(4):
        for text in set(judgments.explanations):
            alike = (judgments.labels == label) & (np.array(judgments.explanations) == text)
            assert len(set(predicted[alike])) <= 1


def test_held_out_scores_teach_nothing_through_others() -> None:
    """The scores of an annotator who is held out are in nobody's targets."""
    judgments = some()
    groups = judgments.annotators
    changed = replace(judgments, scores=np.where(groups == 2, 50.0, judgments.scores))
    first, second = (outputs_unseen(each, groups, folds=3, settings=HALF_OF_OTHERS) for each in (judgments, changed))
    np.testing.assert_array_equal(first[groups == 2], second[groups == 2])
    assert not np.array_equal(first[groups == 1], second[groups == 1])


def test_random_halves_hold_whole_groups() -> None:
    groups = np.array([5, 9, 9, 5, 2, 7, 2, 11])
    halves = random_halves(groups, seed=4)
    assert {len(set(halves[groups == group])) for group in groups} == {1}
    assert len(set(groups[halves == 0])) == 2
    assert len(set(groups[halves == 1])) == 3
    assert halves.tolist() == random_halves(groups, seed=4).tolist()
    assert any(halves.tolist() != random_halves(groups, seed=seed).tolist() for seed in range(5))
