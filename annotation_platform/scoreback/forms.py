"""What the pages of destinations send."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.jobs.outbox.posting import LONGEST_ADDRESS
from annotation_platform.scoreback.destinations.contract import Destination
from annotation_platform.scoreback.models import ScoreDestination, What
from annotation_platform.scoreback.scores import sendable_aspects
from annotation_platform.scoreback.services import LONGEST_KEY
from annotation_platform.studies.models import Study

SECRET = forms.PasswordInput(attrs={"class": "wide", "autocomplete": "off", "spellcheck": "false"})


class AnyOf(forms.MultipleChoiceField):
    """Takes any key: which of them can be, and whether another version of the scheme had it, the service knows."""

    def valid_value(self, value: Any) -> bool:
        return True


class DestinationForm(forms.Form):
    """Address, keys, and what goes. What each of them may be, the service knows."""

    address = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_ADDRESS,
        help_text=_("Without a path. Change it where you run the program yourselves, or use another region."),
        widget=forms.URLInput(attrs={"class": "wide"}),
    )
    public_key = forms.CharField(
        max_length=LONGEST_KEY, required=False, widget=forms.TextInput(attrs={"class": "wide"})
    )
    secret = forms.CharField(max_length=LONGEST_KEY, required=False, widget=SECRET)
    aspects = AnyOf(label=_("Aspects that go"), required=False, widget=forms.CheckboxSelectMultiple)
    what = forms.ChoiceField(label=_("What goes"), choices=What.choices, widget=forms.RadioSelect, initial=What.MEAN)
    with_comments = forms.BooleanField(
        label=_("Send explanations as comments"),
        required=False,
        help_text=_("They are people's own words, and leave the platform with it."),
    )

    def __init__(
        self, sent: Any = None, *, study: Study, program: Destination, destination: ScoreDestination | None = None
    ) -> None:
        known = sendable_aspects(study.scheme())
        initial: dict[str, Any] = {"address": program.usual_address, "aspects": [aspect.key for aspect in known]}
        if destination is not None:
            names = ("address", "public_key", "aspects", "what", "with_comments")
            initial = {name: getattr(destination, name) for name in names}
        super().__init__(sent, initial=initial, label_suffix="")
        aspects = self.fields["aspects"]
        assert isinstance(aspects, forms.MultipleChoiceField)
        aspects.choices = [(aspect.key, aspect.title) for aspect in known]
        self.fields["secret"].label = _(program.secret)
        if destination is not None and destination.encrypted_secret:
            self.fields["secret"].help_text = _("One is stored, encrypted. Leave this empty to keep it.")
        if program.public_key:
            self.fields["public_key"].label = _(program.public_key)
        else:
            del self.fields["public_key"]
