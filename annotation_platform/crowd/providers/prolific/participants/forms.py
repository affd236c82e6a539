"""The forms of the pages of Prolific's participants."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.crowd.providers.prolific.participants.services import MOST_MEGABYTES
from annotation_platform.crowd.uploads.fields import LimitedFileField


class FileForm(forms.Form):
    """A file to be looked at."""

    file = LimitedFileField(
        megabytes=MOST_MEGABYTES,
        label=_("File of participants"),
        help_text=_("The CSV that Prolific gives out as “Export demographic data”, with Participant id and Status."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for each in self:
            each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"


class StoreForm(forms.Form):
    """What of a file is kept."""

    columns = forms.MultipleChoiceField(required=False)
    agreed = forms.BooleanField(required=False)
    takes_states = forms.BooleanField(required=False)

    def __init__(self, *args: Any, columns: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["columns"]
        assert isinstance(field, forms.MultipleChoiceField)  # as above
        field.choices = [(name, name) for name in columns]
