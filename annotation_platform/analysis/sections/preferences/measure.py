"""Which of two systems people prefer: wins, ties and losses of each pair, by judgments and by questions."""

from typing import Any

import numpy as np

from annotation_platform.analysis.measuring.plain import family_for_others
from annotation_platform.analysis.sections.preferences.duels import Duels
from annotation_platform.analysis.sections.preferences.figures import ComparedSystems, Preferences, PreferredShare
from annotation_platform.analysis.sections.preferences.ranking import ranking
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.differences import holm
from annotation_platform.core.statistics.pigeonhole import preference_for_other_raters
from annotation_platform.core.statistics.shares import Share, grouped_share


def preferences(duels: Duels) -> Preferences:
    """Every two systems that were compared, the more often preferred one first; and whether their order on the page
    mattered."""
    compared = sorted(set(zip(duels.first.tolist(), duels.second.tolist(), strict=True)))
    found = [_pair(duels, *pair) for pair in compared]
    corrected, others = holm([pair.p_value for pair, _ in found]), family_for_others([told for _, told in found])
    known = ~np.isnan(duels.shown_first)
    as_shown = np.where(duels.shown_first == 1, duels.outcomes, 1 - duels.outcomes)
    return Preferences(
        group_is=duels.group_is,
        forced=duels.forced,
        pairs=tuple(
            pair.model_copy(update={"p_holm": p, "for_others": of_others})
            for (pair, _), p, of_others in zip(found, corrected, others, strict=True)
        ),
        first_shown=PreferredShare(**_share(grouped_share(as_shown[known], duels.groups[known]))),
        ranking=ranking(duels),
    )


def _pair(duels: Duels, one: int, other: int) -> tuple[ComparedSystems, ForOtherRaters]:
    """Which of two is preferred, and what that says about other annotators, too."""
    rows = (duels.first == one) & (duels.second == other)
    outcomes, shown = duels.outcomes[rows], duels.shown_first[rows]
    if outcomes.mean() < 0.5:
        one, other, outcomes, shown = other, one, 1 - outcomes, 1 - shown
    questions, codes = np.unique(duels.questions[rows], return_inverse=True)
    by_question = np.bincount(codes, weights=outcomes) / np.bincount(codes)
    found = grouped_share(outcomes, duels.groups[rows])
    others = preference_for_other_raters(outcomes, duels.groups[rows], duels.annotators[rows], found)
    pair = ComparedSystems(
        **_share(found),
        systems=(duels.systems[one], duels.systems[other]),
        wins=int((outcomes == 1).sum()),
        ties=int((outcomes == 0.5).sum()),
        losses=int((outcomes == 0).sum()),
        questions=len(questions),
        questions_won=int((by_question > 0.5).sum()),
        questions_tied=int((by_question == 0.5).sum()),
        questions_lost=int((by_question < 0.5).sum()),
        annotators=len(np.unique(duels.annotators[rows])),
        shown_first=int((shown == 1).sum()),
        shown_second=int((shown == 0).sum()),
    )
    return pair, others


def _share(found: Share) -> dict[str, Any]:
    return {
        "value": found.value,
        "interval": found.interval,
        "judgments": found.n,
        "units": found.n_groups,
        "p_value": found.p_value,
        "undefined_because": None if found.value is not None else found.no_interval_because,
        "no_interval_because": found.no_interval_because,
    }
