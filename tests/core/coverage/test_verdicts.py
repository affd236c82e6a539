"""The intervals of macro-F1 and of the area under the ROC curve hold what was planted."""

import numpy as np

from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.verdicts import area_under_curve, macro_f1
from tests.core.coverage import verdicts
from tests.core.coverage.test_coverage import lies_within

STUDIES = 100


def test_they_hold_by_article_and_are_not_there_for_few_articles() -> None:
    for name, found in verdicts.held(20, verdicts.APART[".9"], 0.6, studies=STUDIES, resamples=100).items():
        assert found.intervals == STUDIES
        assert found.coverage is not None
        assert lies_within(found.coverage, 0.92, 0.98, STUDIES), (name, found)
    few = verdicts.held(6, verdicts.APART[".9"], 0.6, studies=10, resamples=10)
    assert {found.intervals for found in few.values()} == {0}


def test_answers_taken_for_independent_would_be_found_out() -> None:
    """Twenty articles of which one answer each is told six times over."""
    rng, held = np.random.default_rng(3), {"macro-F1": [], "AUC": []}  # type: ignore[var-annotated]
    truth = verdicts.truths(verdicts.APART[".7"], 0.6)
    for _ in range(STUDIES):
        right, score, question, _article = verdicts.study(20, verdicts.APART[".7"], 0.6, rng)
        one = np.unique(question, return_index=True)[1][::3]
        right, score = (np.repeat(each[one], 6) for each in (right, score))
        alone = np.arange(len(right))
        said = score > verdicts.APART[".7"] / 2
        found = macro_f1(right, said, alone, bootstrap=Bootstrap(100)), area_under_curve(right, score, alone)
        for (_, hits), each, value in zip(held.items(), found, truth, strict=True):
            assert each.interval is not None
            hits.append(each.interval.low <= value <= each.interval.high)
    assert all(np.mean(hits) < 0.8 for hits in held.values())
