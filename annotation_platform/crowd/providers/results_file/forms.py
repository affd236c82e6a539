"""The form of the page that takes a file of results."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation_platform.crowd.providers.results_file.services import MOST_MEGABYTES
from annotation_platform.crowd.uploads.fields import LimitedFileField


class ResultsForm(forms.Form):
    file = LimitedFileField(
        megabytes=MOST_MEGABYTES,
        label=_("File of results"),
        help_text=_("The CSV of a batch, with WorkerId, AssignmentId, Input.* and Answer.*."),
    )
    with_rejected = forms.BooleanField(
        label=_("Also the judgments of rejected work"),
        required=False,
        help_text=_("Its times and reasons are kept in any case; its judgments only so."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for each in self:
            each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"
