"""What the page of an assignment sends."""

from django import forms


class MinutesForm(forms.Form):
    """How much more time somebody gets."""

    minutes = forms.IntegerField(min_value=1)
