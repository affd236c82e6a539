"""What the researchers' page of Prolific sends."""

from decimal import Decimal
from typing import Any

from django import forms

from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.crowd.providers.prolific.orders import (
    CATEGORIES,
    LONGEST_REJECTION,
    MOST_BONUS,
    SHORTEST_REJECTION,
)

LONGEST_CODE = 40


class ConnectionForm(forms.Form):
    """How a study is connected."""

    is_open = forms.BooleanField(label="Let people in by the address", required=False, initial=True)
    tasks_wanted = forms.IntegerField(
        label="Tasks that make a submission done", min_value=1, max_value=10_000, initial=1
    )
    code_done = forms.CharField(
        label="Code: done", max_length=LONGEST_CODE, help_text="As in Prolific's list of completion codes of the study."
    )
    code_screened_out = forms.CharField(label="Code: screened out", required=False, max_length=LONGEST_CODE)
    code_timed_out = forms.CharField(label="Code: timed out", required=False, max_length=LONGEST_CODE)
    code_no_consent = forms.CharField(label="Code: no consent", required=False, max_length=LONGEST_CODE)
    external_studies = forms.CharField(
        label="Studies on Prolific",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Their identifiers, one a line; nobody comes in by another one. Empty: any.",
    )
    token = forms.CharField(
        label="API token",
        required=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Only for approving, bonuses and states. It is stored encrypted; empty: as it is.",
    )
    hook_secret = forms.CharField(
        label="Secret of the hooks",
        required=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="With it Prolific's messages are believed; without, states are asked for every five minutes.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for each in self:
            if each.help_text:
                each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"

    @property
    def codes(self) -> dict[Ending, str]:
        return {ending: self.cleaned_data[f"code_{ending.value}"] for ending in Ending}

    @property
    def studies(self) -> list[str]:
        return str(self.cleaned_data["external_studies"]).split()


def initial(connection: ProlificStudy | None) -> dict[str, Any]:
    """What the form begins with."""
    if connection is None:
        return {}
    names = ("is_open", "tasks_wanted", *(f"code_{ending.value}" for ending in Ending))
    values = {name: getattr(connection, name) for name in names}
    return values | {"external_studies": "\n".join(connection.external_studies)}


class RejectForm(forms.Form):
    category = forms.ChoiceField(label="Why", choices=[("", "Choose …"), *CATEGORIES.items()])
    message = forms.CharField(
        label="Message",
        min_length=SHORTEST_REJECTION,
        max_length=LONGEST_REJECTION,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=f"The person reads it. Prolific wants {SHORTEST_REJECTION} characters at least.",
    )


class BonusForm(forms.Form):
    amount = forms.DecimalField(
        label="Amount",
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_BONUS) / 100,
        max_digits=8,
        decimal_places=2,
        help_text="In the currency of the study on Prolific, such as 1.50.",
    )

    @property
    def minor_units(self) -> int:
        return int(self.cleaned_data["amount"] * 100)
