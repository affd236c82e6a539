"""Forms of the page about checks."""

from django import forms
from django.db.models import QuerySet

from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.checks.models import MOST_WORDS, Action, CheckRule


class RuleForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    """How often checks are mixed in, and what follows; what cannot be is said by the service."""

    every = forms.IntegerField(
        label="One of so many tasks gets a check", min_value=1, max_value=1_000, help_text="5: one task of each five."
    )
    mixes_by_itself = forms.BooleanField(
        label="Mix them in by itself",
        required=False,
        help_text="Each draft batch gets its checks when it opens, also by the clock. Off: you mix them in here.",
    )
    action = forms.ChoiceField(label="What follows too many failed", choices=Action.choices)
    most_failed = forms.IntegerField(
        label="After so many failed checks",
        required=False,
        min_value=1,
        help_text="Empty: the number alone says nothing.",
    )
    least_percent = forms.IntegerField(
        label="Or below so many percent passed",
        required=False,
        min_value=1,
        max_value=100,
        help_text="Empty: the share alone says nothing.",
    )
    least_judged = forms.IntegerField(
        label="… of at least so many checks", min_value=1, help_text="Of fewer, a share says little."
    )
    words = forms.CharField(
        label="What the annotator reads",
        required=False,
        max_length=MOST_WORDS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Say what to do better, and nothing that tells which question was a check.",
    )

    class Meta:
        model = CheckRule
        fields = ("every", "mixes_by_itself", "action", "most_failed", "least_percent", "least_judged", "words")


class UploadForm(forms.Form):
    """Checks as a file or as pasted text, and of which corpus."""

    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), label="Corpus", empty_label=None, help_text="The study's own, or one of checks alone."
    )
    file = forms.FileField(label="CSV or JSON", required=False)
    text = forms.CharField(
        label="Or its text",
        required=False,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text="One row for each answer and aspect, with the columns article, question, system, aspect, accepted"
        " and, if you like, kind (gold or attention). Several accepted labels have commas between them.",
    )

    def __init__(self, *args: object, corpora: QuerySet[Corpus], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["corpus"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = corpora
