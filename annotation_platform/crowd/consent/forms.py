"""The forms of the two pages of consent."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.crowd.consent.services import MOST_WORDS


class ConsentTextForm(forms.Form):
    """A new version of the text."""

    en = forms.CharField(
        label=_("English"),
        required=False,
        max_length=MOST_WORDS,
        widget=forms.Textarea(attrs={"rows": 10, "lang": "en"}),
    )
    ja = forms.CharField(
        label=_("Japanese"),
        required=False,
        max_length=MOST_WORDS,
        widget=forms.Textarea(attrs={"rows": 10, "lang": "ja"}),
    )
