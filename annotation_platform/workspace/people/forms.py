"""What the people page sends: an invitation, and what invited people read."""

from datetime import timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.studies.invitations import LONGEST_DAYS, MOST_USES, VALID_FOR
from annotation_platform.studies.models import Role, Study


class InviteForm(forms.Form):
    """A new invitation."""

    role = forms.ChoiceField(label=_("Joins as"), choices=Role.choices)
    max_uses = forms.IntegerField(
        label=_("For how many people"),
        required=False,
        min_value=1,
        max_value=MOST_USES,
        help_text=_("1 for a single person; empty: for as many as come."),
    )
    days = forms.IntegerField(
        label=_("For how many days it works"), min_value=1, max_value=LONGEST_DAYS, initial=VALID_FOR.days
    )
    note = forms.CharField(
        label=_("Note"), required=False, max_length=120, help_text=_("Whom it is for; only you see it.")
    )
    email = forms.EmailField(
        label=_("Send it to"), required=False, help_text=_("An e-mail address; empty: you hand out the link yourself.")
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
            "about": _("What the study is about"),
            "task_minutes": _("Minutes that a task takes"),
            "pay": _("Pay"),
        }
        help_texts = {
            "about": _("In your own words; empty: the description of the scheme."),
            "task_minutes": _("Until five tasks have been timed; then the median is told."),
            "pay": _("Such as “€2.50 a task, by bank transfer”; empty: nothing is said."),
        }
        widgets = {"about": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["task_minutes"].widget.attrs |= {"min": 1, "max": 10_000}
        for each in self:
            each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"
