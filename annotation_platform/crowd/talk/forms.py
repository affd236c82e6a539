"""The form of a frequent question."""

from typing import Any

from django import forms

from annotation_platform.crowd.talk.models import FaqEntry
from annotation_platform.crowd.talk.services.faq import TEXTS


class FaqForm(forms.ModelForm):  # type: ignore[type-arg]
    """A question with its answer, in English, Japanese or both."""

    class Meta:
        model = FaqEntry
        fields = TEXTS
        widgets = {name: forms.Textarea(attrs={"rows": 4}) for name in TEXTS if name.startswith("answer")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        for name in ("question_ja", "answer_ja"):
            self.fields[name].widget.attrs["lang"] = "ja"
