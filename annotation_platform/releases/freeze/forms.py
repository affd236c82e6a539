"""What a release is asked for with."""

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.releases.freeze.participants import columns_kept
from annotation_platform.releases.freeze.rights import teams_of
from annotation_platform.releases.models import is_over
from annotation_platform.studies.models import Role, Study

LICENCES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODC-By-1.0", "MIT", "Apache-2.0")


class ReleaseForm(forms.Form):
    title = forms.CharField(max_length=200, label=_("Title"))
    authors = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}), label=_("Authors"), help_text=_("One a line: Family, Given.")
    )
    licence = forms.ChoiceField(choices=[(name, name) for name in LICENCES], label=_("Licence"))
    description = forms.CharField(
        required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 4}), label=_("What it is about")
    )
    embargo_until = forms.DateField(
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        label=_("Embargo until"),
        help_text=_("No link lets anybody download before this day begins in UTC. Empty: none."),
    )
    with_prompts = forms.BooleanField(
        required=False,
        initial=True,
        label=_("Also what language models were asked, with the texts that they were shown (those of articles, too)"),
    )
    with_replies = forms.BooleanField(required=False, label=_("Also what language models replied, word by word"))

    participant_columns = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=_("What Prolific says of annotators"),
        help_text=_(
            "Columns that were kept of its file of participants; of those who agreed to the study's consent text."
        ),
    )
    participants_agreed = forms.BooleanField(
        required=False, label=_("Participants agreed that these columns are published")
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = columns_kept(study)
        field = self.fields["participant_columns"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(name, name) for name in columns]
        if not columns:
            del self.fields["participant_columns"], self.fields["participants_agreed"]

    def clean_embargo_until(self) -> date | None:
        until: date | None = self.cleaned_data["embargo_until"]
        if until is not None and is_over(until):
            raise forms.ValidationError(gettext("This day is over. Choose a later one, or none."))
        return until


class LinkForm(forms.Form):
    note = forms.CharField(required=False, max_length=120, label=_("Whom it is for"))
    days = forms.IntegerField(min_value=1, max_value=3650, initial=30, label=_("Works for how many days"))


class RightForm(forms.Form):
    """A person, or a team: a study and a role in it."""

    email = forms.EmailField(required=False, label=_("E-mail address of a person"))
    team = forms.ModelChoiceField(
        Study.objects.none(), empty_label="—", required=False, label=_("Or everybody of this study …")
    )
    role = forms.TypedChoiceField(
        choices=[("", "—"), *((role.value, role.label) for role in Role)],
        coerce=Role,
        empty_value=None,
        required=False,
        label=_("… in this role"),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["team"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = teams_of(user)


class WithdrawForm(forms.Form):
    because = forms.CharField(max_length=500, label=_("Why"), help_text=_("Whoever comes for the release reads it."))
