"""What the researchers' page of Prolific sends."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.offering import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    MOST_MINUTES,
    MOST_PLACES,
    MOST_REWARD,
    Offer,
)
from annotation_platform.crowd.providers.prolific.orders import (
    CATEGORIES,
    LONGEST_REJECTION,
    MOST_BONUS,
    SHORTEST_REJECTION,
)

LONGEST_CODE = 40


class ConnectionForm(forms.Form):
    """How a study is connected."""

    is_open = forms.BooleanField(label=_("Let people in by the address"), required=False, initial=True)
    checks_signature = forms.BooleanField(
        label=_("Let in only who comes with Prolific's signature"),
        required=False,
        help_text=_("For a study with secure URL parameters on Prolific; those made from here then have them."),
    )
    tasks_wanted = forms.IntegerField(
        label=_("Tasks that make a submission done"), min_value=1, max_value=10_000, initial=1
    )
    code_done = forms.CharField(
        label=_("Code: done"),
        max_length=LONGEST_CODE,
        help_text=_("As in Prolific's list of completion codes of the study."),
    )
    code_screened_out = forms.CharField(label=_("Code: screened out"), required=False, max_length=LONGEST_CODE)
    code_timed_out = forms.CharField(label=_("Code: timed out"), required=False, max_length=LONGEST_CODE)
    code_no_consent = forms.CharField(label=_("Code: no consent"), required=False, max_length=LONGEST_CODE)
    external_studies = forms.CharField(
        label=_("Studies on Prolific"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Their identifiers, one a line; nobody comes in by another one. Empty: any."),
    )
    seen_studies = forms.CharField(required=False, widget=forms.HiddenInput)
    token = forms.CharField(
        label=_("API token"),
        required=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Only for approving, bonuses and states. It is stored encrypted; empty: as it is."),
    )
    hook_secret = forms.CharField(
        label=_("Secret of the hooks"),
        required=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("With it Prolific's messages are believed; without, states are asked for every five minutes."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe(self)

    @property
    def codes(self) -> dict[Ending, str]:
        return {ending: self.cleaned_data[f"code_{ending.value}"] for ending in Ending}

    @property
    def studies(self) -> list[str]:
        return str(self.cleaned_data["external_studies"]).split()

    @property
    def seen(self) -> list[str]:
        """The studies that the form had shown."""
        return str(self.cleaned_data["seen_studies"]).split()


class OfferForm(forms.Form):
    """A study to be made on Prolific."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, help_text=_("People on Prolific read it."))
    description = forms.CharField(
        label=_("What it is about"),
        max_length=LONGEST_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("People on Prolific read it before they come."),
    )
    places = forms.IntegerField(
        label=_("Places"),
        min_value=1,
        max_value=MOST_PLACES,
        help_text=_("How many submissions; each is of one person."),
    )
    reward = forms.DecimalField(
        label=_("Reward for a submission"),
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_REWARD) / 100,
        max_digits=8,
        decimal_places=2,
        help_text=_("In the currency of your account on Prolific, such as 4.50."),
    )
    minutes = forms.IntegerField(label=_("Minutes that it takes"), min_value=1, max_value=MOST_MINUTES)
    project = forms.CharField(
        label=_("Project on Prolific"),
        required=False,
        max_length=64,
        help_text=_("Its identifier. Empty: the one that is Prolific's own choice for the token."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe(self)

    @property
    def offer(self) -> Offer:
        sent = self.cleaned_data
        return Offer(**{**sent, "reward": int(sent["reward"] * 100)})


def describe(form: forms.Form) -> None:
    """Tie each field to its help."""
    for each in form:
        if each.help_text:
            each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"


def initial(connection: ProlificStudy | None) -> dict[str, Any]:
    """What the form begins with."""
    if connection is None:
        return {}
    names = ("is_open", "checks_signature", "tasks_wanted", *(f"code_{ending.value}" for ending in Ending))
    values = {name: getattr(connection, name) for name in names}
    studies = connection.external_studies
    return values | {"external_studies": "\n".join(studies), "seen_studies": " ".join(studies)}


class RejectForm(forms.Form):
    category = forms.ChoiceField(label=_("Why"), choices=[("", _("Choose …")), *CATEGORIES.items()])
    message = forms.CharField(
        label=_("Message"),
        min_length=SHORTEST_REJECTION,
        max_length=LONGEST_REJECTION,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=format_lazy(
            _("The person reads it. Prolific wants {least} characters at least."), least=SHORTEST_REJECTION
        ),
    )


class BonusForm(forms.Form):
    amount = forms.DecimalField(
        label=_("Amount"),
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_BONUS) / 100,
        max_digits=8,
        decimal_places=2,
        help_text=_("In the currency of the study on Prolific, such as 1.50."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput)

    @property
    def minor_units(self) -> int:
        return int(self.cleaned_data["amount"] * 100)
