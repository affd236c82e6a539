"""What a plan asks for: the design, its price, and where there is no pilot the standard deviations."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotation_platform.core.power import Components, Design

WAYS = (
    ("apart", "one at a time, by whoever comes"),
    ("same", "one at a time, the same people for all systems"),
    ("together", "side by side in one task"),
)
USUAL = {"articles": 0.09, "questions": 0.22, "annotators": 0.06, "residual": 0.35, "strictness": 0.24}
"""Standard deviations in parts of the scale, as in the EBR release (completeness, 0 to 100)."""
IN_WORDS = {
    "articles": ("From article to article", "How much the two systems' true difference varies between articles."),
    "questions": ("From question to question", "How much it varies between questions about one article."),
    "annotators": ("Annotators' liking", "How much people vary in which of the two systems they like better."),
    "residual": ("Chance in one judgment of each", "What is left of one person's difference on one question."),
    "strictness": ("Annotators' strictness", "What is added where different people judge the two answers."),
}


def _number(label: str, most: int, help_text: str = "", *, required: bool = True) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=1, max_value=most, help_text=help_text, required=required)


def _amount(label: str, most: float, help_text: str = "") -> forms.FloatField:
    field = forms.FloatField(label=label, min_value=0, max_value=most, help_text=help_text, required=False)
    field.widget.attrs["step"] = "any"
    return field


class DesignForm(forms.Form):
    """A design and its price. What is typed stays, whatever is wrong with it."""

    articles = _number("Articles", 100_000)
    questions = _number("Questions about each", 1_000)
    annotators = _number("Annotators per answer", 100, "The study's overlap.")
    people = _number("Annotators in all", 10_000, "Empty: so many that nobody comes twice.", required=False)
    systems = _number("Systems", 100, "All that are judged; two of them are compared.")
    way = forms.ChoiceField(label="Answers are judged", choices=WAYS)
    per_task = _number("Questions per task", 100)
    pay = _amount("Pay per task", 100_000, "Empty: no costs are shown.")
    currency = forms.CharField(label="Currency", max_length=8, required=False)
    minutes = _amount("Minutes per task", 10_000, "Empty: no hours are shown.")

    def __init__(self, sent: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        """``usual`` stands where nothing was sent; an empty field that was sent stays empty."""
        super().__init__({**usual, **sent}, label_suffix="", auto_id="plan_%s")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        people, annotators = cleaned.get("people"), cleaned.get("annotators")
        if people and annotators and people < annotators:
            self.add_error("people", f"So many people cannot give {annotators} judgments of each answer.")
        if cleaned.get("systems") == 1:
            self.add_error("systems", "Two systems are compared, so there are at least two.")
        if cleaned.get("articles") == 1 and cleaned.get("questions") == 1:
            self.add_error("questions", "One question on one article says nothing about others. Plan at least two.")
        return cleaned

    @property
    def design(self) -> Design:
        """What was asked, once it is valid."""
        names = ("articles", "questions", "annotators", "people", "way", "systems", "per_task")
        return Design(**{name: self.cleaned_data[name] for name in names})


class StatedForm(DesignForm):
    """The same with the standard deviations that no pilot says."""

    length = forms.FloatField(
        label="Length of the scale",
        min_value=0.001,
        max_value=1e6,
        help_text="Its highest number less its lowest: 100 for 0 to 100, 4 for 1 to 5.",
    )
    sd_articles, sd_questions, sd_annotators, sd_residual, sd_strictness = (
        _amount(title, 1e6, help_text) for title, help_text in IN_WORDS.values()
    )

    def __init__(self, sent: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        super().__init__(sent, usual)
        for name, part in USUAL.items():
            self.fields[f"sd_{name}"].widget.attrs["placeholder"] = f"{100 * part:g} % of the scale"
        self.fields["length"].widget.attrs["step"] = "any"

    @property
    def components(self) -> Components:
        """As stated, and where nothing was, as usual."""
        length = self.cleaned_data["length"]
        stated = {name: self.cleaned_data[f"sd_{name}"] for name in USUAL}
        return Components(**{name: (length * USUAL[name] if sd is None else sd) ** 2 for name, sd in stated.items()})

    @property
    def design_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in DesignForm.base_fields]

    @property
    def stated_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in DesignForm.base_fields]
