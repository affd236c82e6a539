"""What the study builder sends beside the scheme."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of
from annotation_platform.studies.services.making import MOST_OVERLAP

MOST = {"overlap": MOST_OVERLAP, "questions_per_hit": 100, "hits_per_batch": 1_000, "time_limit_minutes": 10_000}


def _from_one_to(most: int) -> Callable[[int], None]:
    def check(value: int) -> None:
        if not 1 <= value <= most:
            raise forms.ValidationError(gettext("Write a number from 1 to %(most)s.") % {"most": f"{most:,}"})

    return check


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
            "name": _("Name"),
            "corpus": _("Corpus"),
            "overlap": _("Overlap"),
            "questions_per_hit": _("Questions per task"),
            "hits_per_batch": _("Tasks per batch"),
            "time_limit_minutes": _("Time limit (minutes)"),
            "gives_hints": _("Hints"),
        }
        error_messages: ClassVar = {
            "name": {"unique": _("There is a study of this name already. Choose another name.")}
        }
        help_texts = {
            "overlap": _("How many people judge each item; empty: as many as the scheme says."),
            "questions_per_hit": _("At most so many questions about one document are taken at a time."),
            "time_limit_minutes": _("How long somebody who has taken a task may work on it."),
            "hits_per_batch": _("A batch opens and closes as a whole."),
            "gives_hints": _("Ask for more when an explanation only restates the label. It never blocks."),
        }

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        corpus = self.fields["corpus"]
        assert isinstance(corpus, forms.ModelChoiceField)
        corpus.queryset = corpora_of(user)
        corpus.empty_label = _("Choose one")
        self.fields["overlap"].required = False
        self.initial["overlap"] = (kwargs.get("initial") or {}).get("overlap")
        for name, most in MOST.items():
            self.fields[name].widget.attrs |= {"min": 1, "max": most}
            self.fields[name].validators = [_from_one_to(most)]
        self.fields["name"].error_messages |= {"required": _("Give the study a name.")}
        corpus.error_messages |= {"required": _("Choose a corpus, or import one.")}

    @property
    def chosen_corpus(self) -> Corpus | None:
        """The corpus that is chosen, also while other fields are still wrong."""
        try:
            return self.fields["corpus"].clean(self["corpus"].value()) if self["corpus"].value() else None
        except forms.ValidationError:
            return None
