"""What is stored of preferences: every two systems that were compared, by the aspect that asks for the best."""

from annotation_platform.analysis.measuring.figures import Figure, SectionFigures, StoredFigures


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


class Preferences(StoredFigures):
    """``group_is`` says what is no independent evidence when it is the same: the article, or the question.

    ``forced`` counts judgments that found no answer acceptable and named one because one had to be named;
    ``first_shown`` is how often, of two answers, the one was preferred that stood first on the page.
    """

    group_is: str
    forced: int
    pairs: tuple[ComparedSystems, ...]
    first_shown: PreferredShare


PREFERENCES = SectionFigures[dict[str, Preferences]](
    "preferences", "Wins, ties and losses", version=3, type=dict[str, Preferences]
)
FIGURES = {PREFERENCES.key: PREFERENCES}
