"""Which judgments are paid for: the choice is by what a score can change, and never by a score not paid for."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotation_platform.core.methods.distilled.held_out import mean_taus
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments, TrainingError
from annotation_platform.core.methods.distilled.selection import (
    AT_RANDOM,
    Choice,
    importance,
    pay_for_a_part,
)
from annotation_platform.core.methods.distilled.train import read_release
from annotation_platform.core.methods.distilled.training import Settings, train_on_used_labels
from tests.published import EBR

WORDS = ["wrong", "irrelevant", "misses", "lacks", "vague", "partly", "mostly", "nearly", "complete", "perfect"]


def some_judgments(n: int = 400, seed: int = 1) -> ScoredJudgments:
    """Four annotators judge the same items; two words of each explanation tell the score, one is its own."""
    rng = np.random.default_rng(seed)
    quality = rng.integers(0, 10, n)
    labels = np.clip(quality * 4 // 10 + rng.choice([-1, 0, 0, 1], n), 0, 3)
    return ScoredJudgments(
        labels=labels,
        explanations=[f"It is {WORDS[q]}, note {chr(97 + i % 26)}{chr(97 + i // 26)}" for i, q in enumerate(quality)],
        scores=np.round(quality * 100 / 9),
        annotators=np.arange(n) % 4,
        items=np.arange(n) // 4,
        articles=np.arange(n) // 40,
        corpora=np.zeros(n, dtype=np.int64),
        scale_numbers=(0.0, 30.0, 70.0, 100.0),
    )


@pytest.fixture(scope="module")
def judgments() -> ScoredJudgments:
    return some_judgments()


class Bill:
    """A language model that knows the scores, and remembers what it was asked."""

    def __init__(self, judgments: ScoredJudgments, failing: set[int] = frozenset()) -> None:  # type: ignore[assignment]
        self.rounds: list[list[int]] = []
        self._scores = judgments.scores.copy()
        self._scores[list(failing)] = np.nan

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        self.rounds.append(rows.tolist())
        return self._scores[rows]

    @property
    def asked(self) -> list[int]:
        return [row for each in self.rounds for row in each]


def unscored(judgments: ScoredJudgments) -> ScoredJudgments:
    return replace(judgments, scores=np.full(len(judgments), np.nan))


def test_importance_counts_the_joined_rows_of_a_judgment_by_the_size_of_their_pair() -> None:
    # By hand. Item 0: a worse, b and c best; item 1: a best, b worse; item 2: a and b best, which counts for nothing.
    # Rows that count: ab of items 0 and 1 (n = 2), ac of item 0 (n = 1). So a·0 has 1/2 + 1, b·0 1/2, c·0 1, …
    judgments = replace(
        some_judgments(7),
        items=np.array([0, 0, 0, 1, 1, 2, 2]),
        annotators=np.array([0, 1, 2, 0, 1, 0, 1]),
        labels=np.array([0, 1, 1, 1, 0, 1, 1]),
        scale_numbers=(0.0, 100.0),
    )
    by_hand = np.array([1.5, 0.5, 1, 0.5, 0.5, 0, 0])
    np.testing.assert_allclose(importance(judgments), by_hand * 7 / 4)
    np.testing.assert_allclose(importance(judgments, floor=0.1), 0.9 * by_hand * 7 / 4 + 0.1)


def test_all_are_alike_where_no_two_annotators_judged_the_same(judgments: ScoredJudgments) -> None:
    apart = replace(judgments, items=np.arange(len(judgments)))
    assert importance(apart).tolist() == [1.0] * len(judgments)


def test_the_choice_does_not_see_a_score_that_was_not_paid_for(judgments: ScoredJudgments) -> None:
    bill = Bill(judgments)
    blind = pay_for_a_part(unscored(judgments), bill, 100, seed=3)
    misled = replace(judgments, scores=100 - judgments.scores)
    seeing = pay_for_a_part(misled, Bill(judgments), 100, seed=3)
    assert blind.paid.tolist() == seeing.paid.tolist() == bill.asked
    np.testing.assert_array_equal(blind.explanation_scores, seeing.explanation_scores)


def test_the_budget_is_spent_in_rounds_and_nothing_is_paid_twice(judgments: ScoredJudgments) -> None:
    bill = Bill(judgments)
    done = pay_for_a_part(judgments, bill, 102, seed=0, choice=Choice(rounds=4))
    assert [len(each) for each in bill.rounds] == [25, 26, 25, 26]
    assert len(set(bill.asked)) == len(done.paid) == 102


def test_what_was_paid_for_keeps_the_language_models_score(judgments: ScoredJudgments) -> None:
    done = pay_for_a_part(judgments, Bill(judgments), 80, seed=0)
    np.testing.assert_array_equal(done.explanation_scores[done.paid], judgments.scores[done.paid])
    assert done.model.metadata["n_judgments"] == 80


def test_a_reply_without_a_score_is_paid_for_and_predicted(judgments: ScoredJudgments) -> None:
    failing = set(range(0, 400, 2))
    bill = Bill(judgments, failing)
    done = pay_for_a_part(judgments, bill, 80, seed=0)
    failed = [row for row in bill.asked if row in failing]
    assert failed
    assert not np.isnan(done.explanation_scores[failed]).any()
    assert done.model.metadata["n_judgments"] == 80 - len(failed)


def test_a_model_that_scores_nothing_teaches_nothing(judgments: ScoredJudgments) -> None:
    with pytest.raises(TrainingError, match="score of the language model"):
        pay_for_a_part(judgments, Bill(judgments, set(range(400))), 40, seed=0)


def test_scores_that_are_all_alike_are_chosen_from_without_a_warning(judgments: ScoredJudgments) -> None:
    """Nothing is uncertain then, so that every rate is 0; a warning would fail this test."""
    alike = replace(judgments, scores=np.full(len(judgments), 50.0))
    paid = pay_for_a_part(unscored(alike), Bill(alike), 80, seed=0)
    assert 0 < len(paid.paid) < 80  # what is known well enough is not sent


def test_a_blank_explanation_is_never_sent_and_has_no_score(judgments: ScoredJudgments) -> None:
    blanks = replace(
        judgments, explanations=[" " if i % 3 == 0 else text for i, text in enumerate(judgments.explanations)]
    )
    bill = Bill(judgments)
    done = pay_for_a_part(blanks, bill, 400, seed=0)
    assert all(row % 3 for row in bill.asked)
    assert len(bill.asked) == 266
    assert np.isnan(done.explanation_scores[::3]).all()


def test_the_same_words_under_the_same_label_are_paid_for_once(judgments: ScoredJudgments) -> None:
    texts = [f"It is {WORDS[round(score * 9 / 100)]}{' ' * (i % 2)}" for i, score in enumerate(judgments.scores)]
    repeated = replace(judgments, explanations=texts)
    different = Counter((label, text.strip()) for label, text in zip(repeated.labels.tolist(), texts, strict=True))
    bill = Bill(repeated)
    pay_for_a_part(repeated, bill, len(different), seed=0)
    asked = Counter((int(repeated.labels[row]), texts[row].strip()) for row in bill.asked)
    assert set(asked.values()) == {1}
    bill = Bill(repeated)
    pay_for_a_part(repeated, bill, 400, seed=0)
    assert sorted(bill.asked) == list(range(400))


def test_the_first_round_has_every_label_and_annotator(judgments: ScoredJudgments) -> None:
    bill = Bill(judgments)
    pay_for_a_part(judgments, bill, 64, seed=5)
    cells = {(int(judgments.labels[row]), int(judgments.annotators[row])) for row in bill.rounds[0]}
    assert len(cells) == 16
    bill = Bill(judgments)
    pay_for_a_part(judgments, bill, 16, seed=5)
    assert {int(judgments.labels[row]) for row in bill.rounds[0]} == {0, 1, 2, 3}


def test_the_choice_prefers_what_can_change_the_figure(judgments: ScoredJudgments) -> None:
    half_shared = replace(judgments, items=np.where(np.arange(400) < 200, judgments.items, np.arange(400)))
    chosen = pay_for_a_part(half_shared, Bill(judgments), 100, seed=0).paid
    at_random = pay_for_a_part(half_shared, Bill(judgments), 100, seed=0, choice=AT_RANDOM).paid
    assert np.mean(at_random < 200) == pytest.approx(0.5, abs=0.15)
    assert np.mean(chosen < 200) > 0.9


def test_what_is_known_well_enough_is_not_sent(judgments: ScoredJudgments) -> None:
    """The lowest label always means 0 here, so that after the first round nothing with it is worth its price."""
    sure = replace(judgments, scores=np.where(judgments.labels == 0, 0.0, judgments.scores))
    noisy = np.random.default_rng(0).choice([10.0, 50.0, 90.0], 400)
    sure = replace(sure, scores=np.where(judgments.labels == 0, 0.0, noisy))
    bill = Bill(sure)
    pay_for_a_part(sure, bill, 400, seed=0, choice=Choice(tolerance=20))
    later = [row for each in bill.rounds[1:] for row in each]
    assert later
    assert (sure.labels[later] > 0).all()
    assert len(bill.asked) < 400


def test_a_label_that_nobody_chose_does_not_stop_it(judgments: ScoredJudgments) -> None:
    without = judgments.take(np.flatnonzero(judgments.labels != 1))
    done = pay_for_a_part(without, Bill(without), 90, seed=0)
    assert done.model.scale_numbers.tolist() == [0, 70, 100]
    assert not np.isnan(done.explanation_scores).any()


def test_the_smallest_budget_still_scores_everything(judgments: ScoredJudgments) -> None:
    done = pay_for_a_part(judgments, Bill(judgments), 1, seed=0)
    assert len(done.paid) == 1
    assert not np.isnan(done.explanation_scores).any()


def test_what_was_not_paid_for_is_scored_by_what_was_read_of_single_judgments(judgments: ScoredJudgments) -> None:
    done, with_others = (
        pay_for_a_part(judgments, Bill(judgments), 200, seed=0, settings=settings)
        for settings in (None, Settings(others=0.5))
    )
    again = train_on_used_labels(judgments.take(done.paid), Settings(others=0))
    np.testing.assert_allclose(done.model.weights, again.weights)
    assert not np.allclose(done.explanation_scores, with_others.explanation_scores)


@pytest.mark.long("annotation_platform/core/methods/distilled/*", "annotation_platform/core/statistics/**/*.py")
@pytest.mark.release
def test_a_chosen_tenth_of_the_release_keeps_95_percent_of_the_gain() -> None:
    files = sorted(EBR.glob("*.json"))
    if not files:
        pytest.skip(f"the released EBR data is not at {EBR}")
    release = read_release(files)
    raw = mean_taus(release, np.asarray(release.scale_numbers)[release.labels])[1]
    full = mean_taus(release, release.scores)[1]
    kept = {
        name: np.mean(
            [
                (
                    mean_taus(
                        release,
                        pay_for_a_part(release, Bill(release), 1265, seed=seed, choice=choice).explanation_scores,
                    )[1]
                    - raw
                )
                / (full - raw)
                for seed in range(3)
            ]
        )
        for name, choice in (("active", Choice()), ("random", AT_RANDOM))
    }
    assert kept["active"] >= 0.95
    assert kept["active"] > kept["random"] + 0.05
