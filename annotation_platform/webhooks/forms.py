"""What the pages of webhooks send."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.jobs.outbox.posting import LONGEST_ADDRESS
from annotation_platform.webhooks.kinds import LABELS, USUAL
from annotation_platform.webhooks.models import Endpoint
from annotation_platform.webhooks.services import LONGEST_NOTE


class WebhookForm(forms.Form):
    """Where messages go and what they tell of. What an address may be, the service knows."""

    address = forms.CharField(
        label=_("Address"),
        help_text=_("It gets a POST for each message, such as https://example.org/hooks/study."),
        max_length=LONGEST_ADDRESS,
        widget=forms.URLInput(attrs={"class": "wide"}),
    )
    note = forms.CharField(label=_("Note for yourselves"), max_length=LONGEST_NOTE, required=False)
    kinds = forms.MultipleChoiceField(
        label=_("What it is told of"),
        choices=[(str(kind), label) for kind, label in LABELS.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=USUAL,
    )

    def __init__(self, sent: Any = None, *, endpoint: Endpoint | None = None) -> None:
        initial = {name: getattr(endpoint, name) for name in ("address", "note", "kinds")} if endpoint else None
        super().__init__(sent, initial=initial, label_suffix="")
