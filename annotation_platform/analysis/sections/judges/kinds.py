"""The kinds of bias, and what is said of a judge that has one."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop


class Kind(NamedTuple):
    """A kind of bias: which figures of an aspect it is, by what it is told apart; and what a judge does that has it,
    by what is measured: above 0, and below."""

    name: str
    title: str
    figures: dict[str, str]  # the figure's name -> which place it is about, if any
    phrases: dict[str, tuple[str, str]]
    means: str
    caption: str
    known_as: str = ""  # in the literature

    @property
    def heading(self) -> str:
        if not self.known_as:
            return _(self.title)
        return _("{title} ({known_as})").format(title=_(self.title), known_as=_(self.known_as))


KINDS = (
    Kind(
        "judge-leniency",
        gettext_noop("Leniency"),
        {"leniency": ""},
        {
            "worth": (
                gettext_noop("rates more kindly than these people do"),
                gettext_noop("rates more strictly than these people do"),
            ),
            "number": (
                gettext_noop("gives higher numbers than these people do"),
                gettext_noop("gives lower numbers than these people do"),
            ),
        },
        gettext_noop(
            "the judge's mean less these people's, on the items that both judged, in per cent of the scale's length"
        ),
        gettext_noop("the judge's mean minus people's, as a share of the scale's length"),
    ),
    Kind(
        "judge-place",
        gettext_noop("Place"),
        {"first": "first", "last": "last"},
        {
            "first": (
                gettext_noop("chooses what it is shown first more often than these people do"),
                gettext_noop("chooses what it is shown first less often than these people do"),
            ),
            "last": (
                gettext_noop("chooses what it is shown last more often than these people do"),
                gettext_noop("chooses what it is shown last less often than these people do"),
            ),
        },
        gettext_noop(
            "how much more often the judge chooses what stands first (or last) before it than these people choose the "
            "same"
        ),
        gettext_noop(
            "how much more often the judge chooses what it is shown first (or last) than people choose the same"
        ),
        gettext_noop("position bias"),
    ),
    Kind(
        "judge-length",
        gettext_noop("Length"),
        {"length": ""},
        {
            "worth": (
                gettext_noop("is kinder than these people to longer answers"),
                gettext_noop("is stricter than these people with longer answers"),
            ),
            "number": (
                gettext_noop("gives longer answers higher numbers than these people do"),
                gettext_noop("gives longer answers lower numbers than these people do"),
            ),
            "choice": (
                gettext_noop("chooses longer answers more often than these people do"),
                gettext_noop("chooses longer answers less often than these people do"),
            ),
        },
        gettext_noop("how much the judge's judgment less these people's rises where an answer is twice as long"),
        gettext_noop(
            "how much the judge's judgment minus people's rises for an answer twice as long, as a share of the scale's "
            "length, or of all choices"
        ),
        gettext_noop("verbosity bias"),
    ),
    Kind(
        "judge-family",
        gettext_noop("Own family"),
        {"own_family": ""},
        {
            "worth": (
                gettext_noop("is kinder to its own family, beside the others, than these people are"),
                gettext_noop("is stricter with its own family, beside the others, than these people are"),
            ),
            "number": (
                gettext_noop("gives its own family, beside the others, higher numbers than these people do"),
                gettext_noop("gives its own family, beside the others, lower numbers than these people do"),
            ),
            "choice": (
                gettext_noop("chooses answers of its own family, beside the others, more often than these people do"),
                gettext_noop("chooses answers of its own family, beside the others, less often than these people do"),
            ),
        },
        gettext_noop(
            "the judge's judgment less these people's, of answers by systems of its own family minus the others'"
        ),
        gettext_noop(
            "the judge's judgment minus people's, of its own family's answers minus the others', as a share of the "
            "scale's length, or of all choices"
        ),
        gettext_noop("self-preference"),
    ),
    Kind(
        "judge-language",
        gettext_noop("Japanese against English"),
        {"japanese": ""},
        {
            "worth": (
                gettext_noop("is kinder to Japanese, beside English, than these people are"),
                gettext_noop("is stricter with Japanese, beside English, than these people are"),
            ),
            "number": (
                gettext_noop("gives Japanese, beside English, higher numbers than these people do"),
                gettext_noop("gives Japanese, beside English, lower numbers than these people do"),
            ),
        },
        gettext_noop("the judge's judgment less these people's, of what is in Japanese minus what is in Latin letters"),
        gettext_noop(
            "the judge's judgment minus people's, of what is in Japanese minus what is in Latin letters, as a share of "
            "the scale's length"
        ),
    ),
)
