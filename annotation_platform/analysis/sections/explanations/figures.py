"""What is stored of the explanations of each aspect."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import Because, SectionFigures, StoredFigures


class Quotation(StoredFigures):
    """A part of one explanation, with the item that it is about."""

    item: int
    annotator: str
    system: str
    label: str
    text: str


class WordApart(StoredFigures):
    """A word or phrase that sets a group apart.

    ``documents`` of the group and ``others`` outside have it, ``wordings`` are the different ones of the former;
    ``z_without_one`` is the least z when any one annotator is left out.
    """

    term: str
    log_odds: float
    z: float
    p_holm: float
    documents: int
    others: int
    wordings: int
    z_without_one: float | None
    example: Quotation


class GroupWords(StoredFigures):
    """The words of one label, system or annotator; ``name`` is a label's key.

    ``more`` are set apart, too, but not kept; ``of_one_annotator`` are not, for they rest on one annotator.
    """

    name: str
    documents: int
    others: int
    words: tuple[WordApart, ...]
    more: int
    of_one_annotator: int
    undefined_because: Because


class Theme(StoredFigures):
    """Words that come together, how many explanations are mostly about them by label, and those nearest to them."""

    words: tuple[str, ...]
    documents: int
    by_label: dict[str, int]
    quotations: tuple[Quotation, ...]
    items: tuple[int, ...]


class ExplanationsOfAspect(StoredFigures):
    """The explanations of one aspect's labels.

    ``different`` counts equal ones once. ``of`` is how many there are where only a sample was read. ``left_out``
    counts by kind (labels, systems, annotators) the groups with too few explanations to be among those compared.
    ``stability`` and ``of_shuffled`` are by number of themes.
    """

    text: str
    explanations: int
    of: int
    different: int
    annotators: int
    unit: str
    units: int
    terms: int
    groups: dict[str, tuple[GroupWords, ...]]
    left_out: dict[str, int]
    themes: tuple[Theme, ...]
    themes_undefined_because: Because
    stability: dict[int, float]
    of_shuffled: dict[int, float]

    @property
    def explained(self) -> dict[str, int]:
        """How many explanations each label has, by its key; without labels that have none."""
        return {group.name: group.documents for group in self.groups["labels"] if group.documents}


EXPLANATIONS = SectionFigures[dict[str, ExplanationsOfAspect]](
    "explanations", gettext_noop("Explanations"), version=2, type=dict[str, ExplanationsOfAspect]
)
FIGURES = {EXPLANATIONS.key: EXPLANATIONS}
