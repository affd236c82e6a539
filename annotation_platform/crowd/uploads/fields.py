"""The field of a form for a file that may have so many megabytes."""

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _


class LimitedFileField(forms.FileField):
    """Its page refuses a larger file before it is sent (``files.js``): the server hangs up on what is much larger."""

    def __init__(self, *, megabytes: int, **options: Any) -> None:
        self.megabytes = megabytes
        super().__init__(**options)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        sentence = _(
            "This file has more than the {most} MB that are read here. Choose a smaller one, or send it in several."
        )
        limits = {"data-most": self.megabytes * 1_000_000, "data-too-large": format_lazy(sentence, most=self.megabytes)}
        return super().widget_attrs(widget) | limits
