"""What the pages about rounds send: a round's settings, and what a new one is made of."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.schemes.loading import preset_titles
from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.rounds.models import Round, Rule
from annotation_platform.crowd.rounds.services import RoundSettings
from annotation_platform.crowd.rounds.services.setting_up import MOST_ATTEMPTS, MOST_BEST, MOST_DAYS
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of

OWN_SCHEME = ""


def _from_to(least: int, most: int) -> Callable[[int], None]:
    def check(value: int) -> None:
        if not least <= value <= most:
            said = gettext("Write a number from %(least)s to %(most)s.")
            raise forms.ValidationError(said % {"least": least, "most": f"{most:,}"})

    return check


class RoundForm(forms.ModelForm):  # type: ignore[type-arg]  # it takes none at run time
    """Who passes, and how often one may try."""

    class Meta:
        model = Round
        fields = [
            "title",
            "rule",
            "least_percent",
            "best_count",
            "is_reviewed",
            "attempts_allowed",
            "valid_days",
            "least_overlap",
            "shows_answers",
        ]
        labels = {
            "title": _("Title"),
            "rule": _("Who passes"),
            "least_percent": _("Least match (percent)"),
            "best_count": _("How many of the best"),
            "is_reviewed": _("A person confirms each verdict"),
            "attempts_allowed": _("Attempts"),
            "valid_days": _("Valid for (days)"),
            "least_overlap": _("Least overlap of cited sentences (percent)"),
            "shows_answers": _("Show the accepted answers afterwards"),
        }
        help_texts = {
            "title": _("Annotators read it."),
            "least_percent": _("Of all accepted answers over all items. 0: only items that must be passed count."),
            "best_count": _("Only where the best pass. All who are level with the last one pass, too."),
            "is_reviewed": _("The rule proposes; you write notes and decide."),
            "attempts_allowed": _("The items stay the same in each of them."),
            "valid_days": _("Empty: for good."),
            "least_overlap": _("Shared sentences, of all that are cited or accepted."),
            "shows_answers": _("To who has passed, or has no attempt left. Otherwise nobody ever reads them."),
        }
        widgets: ClassVar = {"rule": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        rule = self.fields["rule"]
        assert isinstance(rule, forms.ChoiceField)
        rule.choices = Rule.choices
        limits = {
            "least_percent": (0, 100),
            "least_overlap": (1, 100),
            "attempts_allowed": (1, MOST_ATTEMPTS),
            "valid_days": (1, MOST_DAYS),
            "best_count": (1, MOST_BEST),
        }
        for name, (least, most) in limits.items():
            self.fields[name].widget.attrs |= {"min": least, "max": most}
            self.fields[name].validators = [_from_to(least, most)]
        for each in self:
            if each.help_text:
                each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"

    @property
    def settings(self) -> RoundSettings:
        return RoundSettings(**{name: self.cleaned_data[name] for name in RoundForm.Meta.fields})


class SourceForm(forms.Form):
    """What a new round is made of: a corpus under a scheme, or a study that is there."""

    corpus = forms.ModelChoiceField(
        queryset=Corpus.objects.none(),
        required=False,
        empty_label="–",
        label=_("Corpus"),
        help_text=_("All of its questions are asked. Import a small one for the round first."),
    )
    scheme = forms.ChoiceField(required=False, label=_("Scheme"), help_text=_("How the round is judged."))
    existing = forms.ModelChoiceField(
        queryset=Study.objects.none(),
        required=False,
        empty_label="–",
        label=_("Or turn a study into the round"),
        help_text=_(
            "One of yours that nobody annotates yet. Its people read it no more unless they are in this study."
        ),
    )

    def __init__(self, *args: Any, user: User, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        corpus, existing, scheme = self.fields["corpus"], self.fields["existing"], self.fields["scheme"]
        assert isinstance(corpus, forms.ModelChoiceField)
        assert isinstance(existing, forms.ModelChoiceField)
        assert isinstance(scheme, forms.ChoiceField)
        corpus.queryset = corpora_of(user)
        existing.queryset = Study.objects.administered_by(user).filter(qualifies_for=None).exclude(pk=study.pk)
        own = gettext("As this study (%(scheme)s)") % {"scheme": study.scheme_version}
        scheme.choices = [(OWN_SCHEME, own), *preset_titles(interface_language()).items()]
        for each in self:
            if each.help_text:
                each.field.widget.attrs["aria-describedby"] = f"{each.auto_id}_helptext"

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if bool(data.get("corpus")) == bool(data.get("existing")):
            self.add_error("corpus", gettext("Choose a corpus or a study, one of the two."))
        return data
