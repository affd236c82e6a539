"""What a plan asks for: the design, its price, and where there is no pilot the standard deviations."""

import re
from collections.abc import Mapping
from math import hypot
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from annotation_platform.core.power import Components, Design

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

WAYS = (("apart", _("one by one")), ("same", _("one by one, same people")), ("together", _("side by side")))
PAID_BY = (("task", _("a task")), ("hour", _("an hour")))
DOCUMENTS, NONE = "documents", "none"
ABOUT = ((DOCUMENTS, _("articles")), (NONE, _("no document")))
USUAL = {"articles": 0.09, "questions": 0.22, "annotators": 0.06, "residual": 0.35, "strictness": 0.24}
"""Standard deviations in parts of the scale, as in the EBR release (completeness, 0 to 100)."""
USUAL_ABOUT_NONE = {**USUAL, "articles": hypot(USUAL["articles"], USUAL["questions"]), "questions": 0.0}
"""Where nothing is shared by questions, each varies by both."""
IN_WORDS = {
    "articles": (
        gettext_noop("From article to article"),
        gettext_noop("How much the two systems' true difference varies between articles."),
    ),
    "questions": (
        gettext_noop("From question to question"),
        gettext_noop("How much it varies between questions about one article."),
    ),
    "annotators": (
        gettext_noop("Annotators' liking"),
        gettext_noop("How much people vary in which of the two systems they like better."),
    ),
    "residual": (
        gettext_noop("Chance in one judgment of each"),
        gettext_noop("What is left of one person's difference on one question."),
    ),
    "strictness": (
        gettext_noop("Annotators' strictness"),
        gettext_noop("What is added where different people judge the two answers."),
    ),
}
IN_WORDS_ABOUT_NONE = {
    "articles": (
        gettext_noop("From question to question"),
        gettext_noop("How much the two systems' true difference varies between questions."),
    ),
    **{name: IN_WORDS[name] for name in ("annotators", "residual", "strictness")},
}
"""Where each question is a unit of its own, as an article with one question is."""


START = {
    "articles": 20,
    "questions": 5,
    "annotators": 3,
    "systems": 2,
    "way": "apart",
    "per_task": 5,
    "length": 100,
    "paid_by": "task",
}
"""What is planned where nothing is said, without a pilot."""

_WITH_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?")


class AmountField(forms.FloatField):
    """A number with a point or a comma; a text field, since those for numbers lose what is none.

    A comma before three digits is one of thousands, as on the page Pay, unless a 0 stands before: “1,500”, “0,125”.
    """

    widget = forms.TextInput

    def __init__(
        self,
        label: "StrOrPromise",
        most: float,
        help_text: "StrOrPromise" = "",
        *,
        least: float = 0,
        required: bool = False,
    ) -> None:
        super().__init__(label=label, min_value=least, max_value=most, help_text=help_text, required=required)
        told = format_lazy(_("Write a number from {least} to {most}."), least=f"{least:g}", most=f"{most:,.0f}")
        self.error_messages = dict.fromkeys(("invalid", "required"), told)
        for validator in self.validators:
            validator.message = told  # type: ignore[attr-defined]
        self.widget.attrs["inputmode"] = "decimal"

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):
            value = value.replace(",", "" if _WITH_THOUSANDS.fullmatch(value.strip()) else ".")
        return super().to_python(value)


def _number(
    label: "StrOrPromise", most: int, help_text: "StrOrPromise" = "", *, required: bool = True, least: int = 1
) -> forms.IntegerField:
    field = forms.IntegerField(label=label, min_value=least, max_value=most, help_text=help_text, required=required)
    told = format_lazy(_("Write a whole number from {least} to {most}."), least=f"{least:,}", most=f"{most:,}")
    field.error_messages |= dict.fromkeys(("invalid", "required"), told)
    for validator in field.validators:
        validator.message = told  # type: ignore[attr-defined]
    return field


class DesignForm(forms.Form):
    """A design and its price. What is typed stays, whatever is wrong with it.

    Where questions are about no document, ``articles`` are questions, with one each.
    """

    about = forms.ChoiceField(label=_("Questions are about"), choices=ABOUT, required=False, widget=forms.HiddenInput)
    articles = _number(_("Articles"), 100_000)
    questions = _number(_("Questions about each"), 1_000)
    annotators = _number(_("Annotators per answer"), 100, _("The study's overlap."))
    people = _number(_("Annotators in all"), 10_000, _("Empty: so many that nobody comes twice."), required=False)
    systems = _number(_("Systems"), 100, _("All that are judged; two of them are compared."), least=2)
    way = forms.ChoiceField(
        label=_("Answers are judged"),
        choices=WAYS,
        help_text=_("One by one: by whoever comes. Same people: they judge all systems. Side by side: in one task."),
    )
    per_task = _number(_("Questions per task"), 100)
    pay = AmountField(_("Pay"), 1_000_000_000, _("Empty: no costs are shown."))
    paid_by = forms.ChoiceField(label=_("Paid for"), choices=PAID_BY)
    currency = forms.CharField(label=_("Currency"), max_length=8, required=False)
    bonus = AmountField(_("Bonus, in percent"), 1_000, _("Of the pay. Empty: none."))
    fee = AmountField(_("Provider's fee, in percent"), 1_000, _("Of pay and bonus. Empty: none."))
    minutes = AmountField(_("Minutes per task"), 10_000, _("Empty: no hours are shown."))

    def __init__(self, sent: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        """``usual`` stands where nothing was sent; an empty field that was sent stays empty."""
        super().__init__({**usual, **sent}, label_suffix="", auto_id="plan_%s")
        if self.data.get("about") == NONE:
            self.fields["articles"].label = _("Questions")
            self._leave_out("questions", 1)

    def _leave_out(self, name: str, value: float) -> None:
        """Take this value, whatever is sent; nothing is sent on with the form."""
        field = self.fields[name]
        field.widget, field.disabled, field.initial = forms.HiddenInput(), True, value

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        people, annotators = cleaned.get("people"), cleaned.get("annotators")
        if people and annotators and people < annotators:
            told = gettext("So many people cannot give {n} judgments of each answer.")
            self.add_error("people", told.format(n=annotators))
        if cleaned.get("articles") == 1 and cleaned.get("questions") == 1:
            told = gettext("One question on one article says nothing about others. Plan at least two.")
            self.add_error("articles" if cleaned.get("about") == NONE else "questions", told)
        if cleaned.get("pay") is not None and cleaned.get("paid_by") == "hour" and not cleaned.get("minutes"):
            self.add_error("minutes", gettext("Pay for an hour costs what a task takes: write its minutes."))
        return cleaned

    @property
    def design(self) -> Design:
        """What was asked, once it is valid."""
        names = ("articles", "questions", "annotators", "people", "way", "systems", "per_task")
        return Design(
            **{name: self.cleaned_data[name] for name in names}, about_none=self.cleaned_data["about"] == NONE
        )


class StatedForm(DesignForm):
    """The same with the standard deviations that no pilot says."""

    length = AmountField(
        _("Length of the scale"),
        1_000_000,
        _("Its highest number less its lowest: 100 for 0 to 100, 4 for 1 to 5."),
        least=0.001,
        required=True,
    )
    sd_articles, sd_questions, sd_annotators, sd_residual, sd_strictness = (
        AmountField(_(title), 1e6, _(help_text)) for title, help_text in IN_WORDS.values()
    )

    def __init__(self, sent: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        super().__init__(sent, usual)
        self.fields["about"].widget = forms.Select(choices=ABOUT)
        if self.data.get("about") == NONE:
            field = self.fields["sd_articles"]
            field.label, field.help_text = map(gettext, IN_WORDS_ABOUT_NONE["articles"])
            self._leave_out("sd_questions", 0)
        for name, part in self.usual_deviations.items():
            self.fields[f"sd_{name}"].widget.attrs["placeholder"] = gettext("{percent:g} % of the scale").format(
                percent=round(100 * part, 1)
            )

    @property
    def usual_deviations(self) -> Mapping[str, float]:
        """What stands for a deviation that is not stated, in parts of the scale."""
        return USUAL_ABOUT_NONE if self.data.get("about") == NONE else USUAL

    @property
    def components(self) -> Components:
        """As stated, and where nothing was, as usual."""
        length, usual = self.cleaned_data["length"], self.usual_deviations
        stated = {name: self.cleaned_data[f"sd_{name}"] for name in usual}
        return Components(**{name: (length * usual[name] if sd is None else sd) ** 2 for name, sd in stated.items()})

    @property
    def design_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in DesignForm.base_fields]

    @property
    def stated_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in DesignForm.base_fields]
