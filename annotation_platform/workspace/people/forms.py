"""What the people page sends: an invitation, and what invited people read."""

from datetime import timedelta

from django import forms

from annotation_platform.studies.invitations import LONGEST_DAYS, MOST_USES, VALID_FOR
from annotation_platform.studies.models import Role, Study


class InviteForm(forms.Form):
    """A new invitation."""

    role = forms.ChoiceField(label="Joins as", choices=Role.choices)
    max_uses = forms.IntegerField(
        label="For how many people",
        required=False,
        min_value=1,
        max_value=MOST_USES,
        help_text="1 for a single person; empty: for as many as come.",
    )
    days = forms.IntegerField(
        label="For how many days it works", min_value=1, max_value=LONGEST_DAYS, initial=VALID_FOR.days
    )
    note = forms.CharField(label="Note", required=False, max_length=120, help_text="Whom it is for; only you see it.")
    email = forms.EmailField(
        label="Send it to", required=False, help_text="An e-mail address; empty: you hand out the link yourself."
    )

    def __init__(self, *args: object, roles: list[Role], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role.value, role.label) for role in roles]
        for each in self:
            if each.help_text:
                each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"

    @property
    def valid_for(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])


class WelcomeForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    """What invited people read before they join."""

    class Meta:
        model = Study
        fields = ["about", "task_minutes", "pay"]
        labels = {
            "about": "What the study is about",
            "task_minutes": "Minutes that a task takes",
            "pay": "Pay",
        }
        help_texts = {
            "about": "In your own words; empty: the description of the scheme.",
            "task_minutes": "Until five tasks have been timed; then the median is told.",
            "pay": "Such as “€2.50 a task, by bank transfer”; empty: nothing is said.",
        }
        widgets = {"about": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["task_minutes"].widget.attrs |= {"min": 1, "max": 10_000}
        for each in self:
            each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"
