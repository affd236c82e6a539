"""What is stored of preferences: each two systems that were compared and all on one scale, by the aspect that asks
for the best."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import Because, Figure, ForOthers, SectionFigures, StoredFigures
from annotation_platform.core.few_units import UnitName


class PreferredShare(Figure):
    """A share of judgments, a tie counted as half."""

    judgments: int
    p_value: float | None


class ComparedSystems(PreferredShare):
    """How often the first of two systems was preferred."""

    systems: tuple[str, str]
    wins: int
    ties: int
    losses: int
    questions: int
    questions_won: int
    questions_tied: int
    questions_lost: int
    annotators: int
    shown_first: int
    shown_second: int
    p_holm: float | None = None
    for_others: ForOthers | None = None


class OnOneScale(Figure):
    """A figure of the model of all comparisons; ``for_others`` what it says about other annotators, too."""

    for_others: ForOthers


class StrengthOfSystem(StoredFigures):
    """How strong a system is among all that were compared.

    ``strength`` is log π; ``share`` how often it would be preferred to a system of average strength, a tie as half;
    ``controlled`` the same at equal length and formatting, None where neither can be told from the systems.
    ``ranks`` are the best and the worst rank that the pairs leave open, None without intervals; ``ranks_for_others``
    the same for other annotators, too.
    """

    system: str
    strength: OnOneScale
    share: OnOneScale
    rank: int | None
    ranks: tuple[int, int] | None
    ranks_for_others: tuple[int, int] | None
    controlled: OnOneScale | None
    controlled_rank: int | None
    comparisons: int


class Preferred(OnOneScale):
    """A share of comparisons, with p that it is one half."""

    p_value: float | None


class Effect(StoredFigures):
    """How often an answer is preferred to an equally strong one, a tie as half, because of ``what``: ``shown_first``,
    twice the ``length``, or twice the ``formatting``."""

    what: str
    share: Preferred


class Ranking(StoredFigures):
    """Strengths on one scale; ``parts`` are the systems that comparisons connect, and more than one has no scale.

    ``undefined_because`` says why there is none, and so no share of ties either.
    """

    systems: tuple[StrengthOfSystem, ...]
    effects: tuple[Effect, ...]
    share_of_ties: float | None
    undefined_because: Because
    parts: tuple[tuple[str, ...], ...]


class Preferences(StoredFigures):
    """``group_is`` says what is no independent evidence when it is the same: the article, or the question.

    ``forced`` counts judgments that found no answer acceptable and named one because one had to be named;
    ``first_shown`` is how often, of two answers, the one was preferred that stood first on the page.
    """

    group_is: str
    forced: int
    pairs: tuple[ComparedSystems, ...]
    first_shown: PreferredShare
    ranking: Ranking

    @property
    def unit(self) -> UnitName:
        """What intervals draw."""
        return "article" if self.group_is == "article" else "question"


PREFERENCES = SectionFigures[dict[str, Preferences]](
    "preferences", gettext_noop("Wins, ties and losses"), version=7, type=dict[str, Preferences], names_people=False
)
FIGURES = {PREFERENCES.key: PREFERENCES}
