"""What the forms of this app send."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.scopes import LABELS, Scope
from annotation_platform.accounts.tokens import LONGEST_DAYS, LONGEST_NAME


class TokenForm(forms.Form):
    """A new token: what it is for, what it may be used for, and how long."""

    name = forms.CharField(label=_("What is it for?"), max_length=LONGEST_NAME)
    scopes = forms.MultipleChoiceField(
        label=_("What it may be used for"), widget=forms.CheckboxSelectMultiple, initial=[Scope.READ.value]
    )
    days = forms.IntegerField(
        label=_("In force for so many days"),
        help_text=_("Empty: until it is revoked."),
        min_value=1,
        max_value=LONGEST_DAYS,
        required=False,
        initial=90,
    )

    def __init__(self, sent: Any = None, *, scopes: Iterable[Scope] = Scope) -> None:
        super().__init__(sent, label_suffix="")
        choices: Any = self.fields["scopes"]
        choices.choices = [(scope.value, LABELS[scope]) for scope in scopes]
