"""What the pages about pay send: amounts are typed as people write them, and checked by their currency."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay.models import Approval, PayTerms
from annotation_platform.crowd.pay.money import DIGITS, amount_of, plain
from annotation_platform.crowd.pay.services.setting_terms import MOST_BONUS, MOST_HOURS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

AMOUNTS = ("reward", "hourly_floor", "budget", "second_above")
OFTEN = ("USD", "EUR", "GBP", "JPY")


def _currencies() -> list[tuple[str, str]]:
    """Those that are used most first."""
    return [(code, code) for code in (*OFTEN, *sorted(DIGITS.keys() - set(OFTEN)))]


class AmountField(forms.CharField):
    """An amount as it was typed; the form that knows its currency reads it."""

    def __init__(
        self, label: "str | _StrPromise", *, help_text: "str | _StrPromise" = "", required: bool = False
    ) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 10})
        super().__init__(label=label, help_text=help_text, required=required, max_length=40, widget=widget)


class TermsForm(forms.Form):
    """What a study pays."""

    currency = forms.ChoiceField(
        label=_("Currency"), choices=_currencies, widget=forms.Select(attrs={"translate": "no"})
    )
    reward = AmountField(_("Reward for a task"), help_text=_("Such as 2.50."), required=True)
    bonus_percent = forms.IntegerField(
        label=_("Bonus after each batch, in percent"),
        min_value=0,
        max_value=MOST_BONUS,
        help_text=_("Of somebody's rewards."),
    )
    returned_percent = forms.IntegerField(
        label=_("For unfinished tasks, in percent"),
        min_value=0,
        max_value=100,
        help_text=_("Of the reward's part for the items that are done. 0: nothing."),
    )
    approval = forms.ChoiceField(label=_("Work counts as approved"), choices=Approval.choices)
    approval_hours = forms.IntegerField(
        label=_("After how many hours"),
        min_value=1,
        max_value=MOST_HOURS,
        required=False,
        help_text=_("If after some hours."),
    )
    hourly_floor = AmountField(_("Least pay for an hour"), help_text=_("You are warned below it. Empty: no warning."))
    budget = AmountField(
        _("Budget of the study"),
        help_text=_("No batch is opened, no place added and no task of a round given out beyond it. Empty: no limit."),
    )
    second_above = AmountField(
        _("Second approval above"), help_text=_("Payments of more need an admin who did not make them. Empty: never.")
    )

    def __init__(self, data: Any = None, *, terms: PayTerms | None = None) -> None:
        super().__init__(data, initial=_as_typed(terms), label_suffix="")
        for each in self:
            if each.help_text:
                each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        for name in AMOUNTS:
            typed = data.get(name, "")
            try:
                data[name] = amount_of(typed, data.get("currency", "")) if typed else None
            except InvalidInputError as error:
                self.add_error(name, in_language(error))
        return data


class CorrectionForm(forms.Form):
    """An amount above or below zero, and why."""

    amount = AmountField(_("Amount"), help_text=_("Below zero to take something back, such as -0.50."), required=True)
    reason = forms.CharField(label=_("Why"), max_length=500, help_text=_("The annotator reads it."))

    def __init__(self, data: Any = None, *, currency: str) -> None:
        super().__init__(data, label_suffix="")
        self.currency = currency
        for each in self:
            each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"

    def clean_amount(self) -> int:
        try:
            return amount_of(self.cleaned_data["amount"], self.currency)
        except InvalidInputError as error:
            raise forms.ValidationError(in_language(error)) from None


def _as_typed(terms: PayTerms | None) -> dict[str, Any]:
    if terms is None:
        return {"currency": "USD", "bonus_percent": 0, "returned_percent": 0, "approval": Approval.BY_HAND}
    amounts = {name: getattr(terms, name) for name in AMOUNTS}
    return {
        name: getattr(terms, name)
        for name in ("currency", "bonus_percent", "returned_percent", "approval", "approval_hours")
    } | {name: "" if amount is None else plain(amount, terms.currency) for name, amount in amounts.items()}
