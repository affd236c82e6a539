"""What people type, on a page or the command line: forms of model connections, amounts and numbers."""

from decimal import ROUND_DOWN, Decimal, InvalidOperation
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.scoring.keys import check_key
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.models.connections import validate_outer_address
from annotation_platform.scoring.parameters import FROM_CONNECTION, ModelCall

LEAST, MOST = Decimal("0.0001"), Decimal("99999999")  # as budgets are stored
ASKED = {name: ModelCall.model_fields[name] for name in FROM_CONNECTION}


class ConnectionForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A model connection. The key goes in and never comes out."""

    key = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        label=_("Key"),
        help_text=_("Kept encrypted, never shown again. Better: name an environment variable below."),
    )
    forget_key = forms.BooleanField(required=False, label=_("Forget the stored key"))

    class Meta:
        model = ModelConnection
        fields = [
            "name",
            "base_url",
            "model",
            "key",
            "forget_key",
            "key_variable",
            "price_in",
            "price_out",
            "requests_per_minute",
            "tokens_per_minute",
            "concurrency",
            "timeout",
            "structured",
            "is_active",
        ]
        labels = {
            "name": _("Name"),
            "model": _("Model"),
            **{name: _(each.title or name) for name, each in ASKED.items()},
            "base_url": _("Address"),
            "key_variable": _("Or the key's environment variable"),
            "is_active": _("New runs may use it"),
        }
        help_texts = {
            **{name: _(each.description) if each.description else "" for name, each in ASKED.items()},
            "base_url": _("The whole address with /v1 at its end, such as https://api.openai.com/v1."),
            "is_active": "",
        }
        error_messages = {"name": {"unique": _("Model connection with this Name already exists.")}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.study_id is not None:  # the environment's keys are the platform's
            del self.fields["key_variable"]
            self.fields["key"].help_text = _("Kept encrypted, never shown again, and sent to this address only.")
        if not self.instance.encrypted_key:
            del self.fields["forget_key"]
        for name, field in self.fields.items():
            described = [f"id_{name}_helptext"] if field.help_text else []
            if described:
                field.widget.attrs["aria-describedby"] = " ".join(described)

    def clean_key(self) -> str:
        key = str(self.cleaned_data["key"]).strip()
        try:
            check_key(key)
        except InvalidInputError as error:
            raise forms.ValidationError(in_language(error)) from None
        return key

    def clean_base_url(self) -> str:
        address = str(self.cleaned_data["base_url"])
        if self.instance.study_id is not None:
            validate_outer_address(address, look_up=False)
        return address


def read_budget(text: str) -> Decimal | None:
    """An amount of US dollars, as budgets are stored; None where nothing was typed.

    Raises
    ------
    InvalidInputError
        It is no amount, or one that no budget can have.
    """
    if not (text := text.strip().removeprefix("$").strip()):
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if amount.is_nan():
        raise InvalidInputError("scoring.budget_unread", text=text[:40])
    if not LEAST <= amount <= MOST:
        raise InvalidInputError("scoring.budget_out_of_range", text=text[:40], least=LEAST, most=MOST)
    return amount.quantize(LEAST, ROUND_DOWN)


def read_number(text: str | None) -> int:
    """A key or a place in a list, as addresses and forms hold it; 0, which is neither, for anything else."""
    return typed_number(text) or 0
