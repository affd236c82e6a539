"""What the dialogs of a batch send."""

from django import forms


class DeadlineForm(forms.Form):
    """Until when a batch is open; without a deadline until it is complete or closed by hand."""

    deadline_at = forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    finishes_late = forms.BooleanField(required=False)


class ChoiceForm(forms.Form):
    """How many tasks are chosen for people, and how; what it does not say stays as it is offered."""

    n = forms.IntegerField(min_value=1)
    how = forms.ChoiceField(choices=[("random", ""), ("uncertainty", "")])
    run = forms.IntegerField(required=False)
    floor = forms.IntegerField(required=False)


class CutForm(forms.Form):
    """How many items a batch has at most."""

    items = forms.IntegerField()
