"""Forms of the researcher's pages."""

from typing import Any

from django import forms

from annotation_platform.accounts.models import User
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of


class DeadlineForm(forms.Form):
    """Until when a batch is open; without a deadline until it is complete or closed by hand."""

    deadline_at = forms.DateTimeField(
        label="Deadline (UTC, optional)",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    finishes_late = forms.BooleanField(required=False)


class MinutesForm(forms.Form):
    """How much more time somebody gets."""

    minutes = forms.IntegerField(min_value=1)


class SearchForm(forms.Form):
    """What the explorer looks for; a value that is nothing to look for finds as if it were not there."""

    q = forms.CharField(required=False, max_length=200)
    aspect = forms.CharField(required=False, max_length=40)
    system = forms.CharField(required=False, max_length=200)
    annotator = forms.CharField(required=False, max_length=60)
    flag = forms.CharField(required=False, max_length=40)
    seen = forms.CharField(required=False, max_length=40)
    sort = forms.CharField(required=False, max_length=40)
    after = forms.CharField(required=False, max_length=80)
    before = forms.CharField(required=False, max_length=80)


class StudyForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    """What a new study has beside its scheme."""

    class Meta:
        model = Study
        fields = [
            "name",
            "corpus",
            "overlap",
            "questions_per_hit",
            "hits_per_batch",
            "time_limit_minutes",
            "gives_hints",
        ]
        labels = {
            "questions_per_hit": "Questions per HIT",
            "hits_per_batch": "HITs per batch",
            "time_limit_minutes": "Time limit (minutes)",
            "gives_hints": "Hints",
        }
        help_texts = {
            "overlap": "How many people judge each item; empty: as many as the scheme says.",
            "questions_per_hit": "At most so many questions about one document are taken at a time.",
            "hits_per_batch": "A batch opens and closes as a whole.",
            "gives_hints": "Ask for more when an explanation only restates the label. It never blocks.",
        }

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpus = self.fields["corpus"]
        assert isinstance(corpus, forms.ModelChoiceField)
        corpus.queryset = corpora_of(user)
        corpus.empty_label = "Choose one"
        self.fields["overlap"].required = False
        self.initial["overlap"] = None
        for name, most in (("overlap", 100), ("questions_per_hit", 100), ("hits_per_batch", 1000)):
            self.fields[name].widget.attrs |= {"min": 1, "max": most}
        self.fields["time_limit_minutes"].widget.attrs |= {"min": 1, "max": 10_000}

    @property
    def chosen_corpus(self) -> Corpus | None:
        """The corpus that is chosen, also while other fields are still wrong."""
        try:
            return self.fields["corpus"].clean(self["corpus"].value()) if self["corpus"].value() else None
        except forms.ValidationError:
            return None
