"""What the dialogs of a batch send."""

from django import forms


class DeadlineForm(forms.Form):
    """Until when a batch is open; without a deadline until it is complete or closed by hand."""

    deadline_at = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    finishes_late = forms.BooleanField(required=False)
