"""The ε of the alternative annotator test that somebody asks for: in a form, an address, or on the command line."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.text import quotation

_FROM_0_TO_BELOW_1 = re.compile(r"0+\.?|0*\.\d{1,4}")


def read_epsilon(text: str | None) -> float | None:
    """ε as somebody typed it, with a point or a comma; None where nothing is said.

    Raises
    ------
    InvalidInputError
        For all but a number from 0 to below 1 with at most four digits after the point.
    """
    typed = unicodedata.normalize("NFKC", text or "").strip().replace(",", ".")
    if not typed:
        return None
    if not _FROM_0_TO_BELOW_1.fullmatch(typed):
        raise InvalidInputError("analysis.no_epsilon", typed=quotation(text or "", 20))
    return float(typed)


class EpsilonField(forms.Field):
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def to_python(self, value: Any) -> float | None:
        try:
            return read_epsilon(value)
        except InvalidInputError as error:
            raise ValidationError(in_language(error)) from None


class EpsilonForm(forms.Form):
    """What is typed stays, whatever is wrong with it."""

    epsilon = EpsilonField(
        label=_("Another ε"),
        required=False,
        help_text=_("How much better than the model a person may be, from 0 to below 1. Empty: only the three."),
    )

    def __init__(self, sent: Mapping[str, Any]) -> None:
        super().__init__(sent, label_suffix="", auto_id="%s")

    @property
    def parameters(self) -> dict[str, str]:
        """What tables are asked with: nothing of it where nothing was typed, or nothing that is right."""
        epsilon = self.cleaned_data.get("epsilon") if self.is_valid() else None
        return {"epsilon": "" if epsilon is None else f"{epsilon:g}"}
