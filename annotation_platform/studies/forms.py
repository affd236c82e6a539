"""Forms of the pages on which people join a study, and on which its people are looked after."""

from datetime import timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation_platform.studies.invitations import LONGEST_DAYS, VALID_FOR
from annotation_platform.studies.models import Role, Study


class JoinForm(forms.Form):
    """Who comes: a name, which is enough to begin, or an e-mail address, to which a link is sent."""

    who = forms.CharField(
        label=gettext_lazy("Your name or e-mail address"),
        max_length=150,
        error_messages={"required": gettext_lazy("Write a name, or your e-mail address.")},
        widget=forms.TextInput(attrs={"autocomplete": "email", "aria-describedby": "who-help"}),
    )

    def clean_who(self) -> str:
        who = str(self.cleaned_data["who"])
        if "@" in who:
            try:
                validate_email(who)
            except ValidationError:
                raise ValidationError(_("This is no e-mail address. Correct it, or write a name.")) from None
        return who

    @property
    def email(self) -> str:
        """The address that was given; empty for a name."""
        return self.cleaned_data["who"].lower() if "@" in self.cleaned_data["who"] else ""


class InviteForm(forms.Form):
    """A new invitation."""

    role = forms.ChoiceField(label="Joins as", choices=Role.choices)
    max_uses = forms.IntegerField(
        label="For how many people",
        required=False,
        min_value=1,
        max_value=100_000,
        help_text="1 for a single person; empty: for as many as come.",
    )
    days = forms.IntegerField(label="Works for days", min_value=1, max_value=LONGEST_DAYS, initial=VALID_FOR.days)
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
