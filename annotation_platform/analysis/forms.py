"""Forms of the researcher's pages."""

from django import forms


class OpenBatchForm(forms.Form):
    """Opens a draft batch; without a deadline it stays open until it is complete or closed by hand."""

    deadline_at = forms.DateTimeField(
        label="Deadline (UTC, optional)",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )


class SearchForm(forms.Form):
    """Finds items by words in article, question and system."""

    q = forms.CharField(required=False, max_length=200)
    system = forms.CharField(required=False, max_length=200)
