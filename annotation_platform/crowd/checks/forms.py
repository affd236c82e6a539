"""Forms of the page about checks."""

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.checks.models import MOST_WORDS, Action, CheckRule


class RuleForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    """How often checks are mixed in, and what follows; what cannot be is said by the service."""

    every = forms.IntegerField(
        label=_("One of so many tasks gets a check"),
        min_value=1,
        max_value=1_000,
        help_text=_("5: one task of each five."),
    )
    mixes_by_itself = forms.BooleanField(
        label=_("Mix them in by itself"),
        required=False,
        help_text=_("Each draft batch gets its checks when it opens, also by the clock. Off: you mix them in here."),
    )
    action = forms.ChoiceField(label=_("What follows too many failed"), choices=Action.choices)
    most_failed = forms.IntegerField(
        label=_("After so many failed checks"),
        required=False,
        min_value=1,
        help_text=_("Empty: the number alone says nothing."),
    )
    least_percent = forms.IntegerField(
        label=_("Or below so many percent passed"),
        required=False,
        min_value=1,
        max_value=100,
        help_text=_("Empty: the share alone says nothing."),
    )
    least_judged = forms.IntegerField(
        label=_("… of at least so many checks"), min_value=1, help_text=_("Of fewer, a share says little.")
    )
    words = forms.CharField(
        label=_("What the annotator reads"),
        required=False,
        max_length=MOST_WORDS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Say what to do better, and nothing that tells which question was a check."),
    )

    class Meta:
        model = CheckRule
        fields = ("every", "mixes_by_itself", "action", "most_failed", "least_percent", "least_judged", "words")


class UploadForm(forms.Form):
    """Checks as a file or as pasted text, and of which corpus."""

    corpus = forms.ModelChoiceField(
        Corpus.objects.none(),
        label=_("Corpus"),
        empty_label=None,
        help_text=_("The study's own, or one of checks alone."),
    )
    file = forms.FileField(label=_("CSV or JSON"), required=False)
    text = forms.CharField(
        label=_("Or its text"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text=_(
            "One row for each answer and aspect, with the columns article, question, system, aspect, accepted"
            " and, if you like, kind (gold or attention). Several accepted labels have commas between them."
        ),
    )

    def __init__(self, *args: object, corpora: QuerySet[Corpus], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["corpus"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = corpora
