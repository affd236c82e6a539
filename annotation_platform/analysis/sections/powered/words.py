"""Who judged a part and who judged all, as sentences and charts call them."""

from dataclasses import dataclass

from django.utils.translation import gettext_noop, ngettext


@dataclass(frozen=True)
class Words:
    """Who judged a part, and who judged all."""

    few: str
    few_alone: str
    many: str
    both: str
    judged: str
    few_judgments: str
    holds: str
    """What it always rests on."""
    declared: str
    """The same, where a researcher says that it is so."""
    drawn: str
    """What a chart of means shows: where only these are reckoned with, and where all are."""
    drawn_with_all: str


JUDGED = {
    "holds": gettext_noop(
        "What is said of all answers holds only where the answers that {few} judged are a part drawn at random from "
        "all; {few_judgments} correct what {many} gets wrong."
    ),
    "declared": gettext_noop(
        "That the answers which {few} judged are a part drawn at random from all is what the study's settings say; "
        "{few_judgments} correct what {many} gets wrong."
    ),
    "drawn": gettext_noop(
        "Mean over all answers, with 95\u00a0% intervals by {units}: from {few} alone, on the answers that they judged."
    ),
    "drawn_with_all": gettext_noop(
        "Mean over all answers, with 95\u00a0% intervals by {units}: from {few} alone, on the answers that they "
        "judged, and with what {many} says of all."
    ),
}


SCORED = {
    "holds": gettext_noop(
        "What is said of all answers holds only where the answers that {few} scored are a part drawn at random from "
        "all; {few_judgments} correct what {many} gets wrong."
    ),
    "declared": gettext_noop(
        "That the answers which {few} scored are a part drawn at random from all is what the study's settings say; "
        "{few_judgments} correct what {many} gets wrong."
    ),
    "drawn": gettext_noop(
        "Mean over all answers, with 95\u00a0% intervals by {units}: from {few} alone, on the answers that it scored."
    ),
    "drawn_with_all": gettext_noop(
        "Mean over all answers, with 95\u00a0% intervals by {units}: from {few} alone, on the answers that it "
        "scored, and with what {many} says of all."
    ),
}


# On what it rests where the platform drew what people judged.
DRAWN = {
    "random": gettext_noop(
        "The answers that {few} judged were drawn at random; {few_judgments} correct what {many} gets wrong."
    ),
    "uncertainty": gettext_noop(
        "The answers that {few} judged were drawn by a model's uncertainty, so that each is weighed by the chance that "
        "it had; {few_judgments} correct what {many} gets wrong. How many they are worth is counted in answers drawn "
        "at random."
    ),
}


def out_of_reach(n: int) -> list[str]:
    """How many answers what was drawn does not speak for; nothing where it speaks for all."""
    if not n:
        return []
    said = ngettext(
        "{n:,} answer is not among all answers here: its batch has not closed, and its task could not be drawn any "
        "more.",
        "{n:,} answers are not among all answers here: their batches have not closed, and their tasks could not be "
        "drawn any more.",
        n,
    )
    return [said.format(n=n)]


def unread_by(who: str, n: int) -> str:
    """Of how many answers somebody said nothing that is a number."""
    said = ngettext(
        "{who} gave no number for {n:,} answer; that moves nothing.",
        "{who} gave no number for {n:,} answers; that moves nothing.",
        n,
    )
    return said.format(who=who, n=n)


JUDGE = Words(
    few=gettext_noop("people"),
    few_alone=gettext_noop("People alone"),
    many=gettext_noop("the judge"),
    both=gettext_noop("People and judge"),
    judged=gettext_noop("Judged by people"),
    few_judgments=gettext_noop("people's judgments"),
    **JUDGED,
)


RESCALER = Words(
    few=gettext_noop("the language model"),
    few_alone=gettext_noop("Language model alone"),
    many=gettext_noop("the distilled rescaler"),
    both=gettext_noop("Both at once"),
    judged=gettext_noop("Scored by the language model"),
    few_judgments=gettext_noop("the language model's scores"),
    **SCORED,
)


CLASSIFIER = Words(
    few=gettext_noop("people"),
    few_alone=gettext_noop("People alone"),
    many=gettext_noop("the classifier"),
    both=gettext_noop("People and classifier"),
    judged=gettext_noop("Judged by people"),
    few_judgments=gettext_noop("people's verdicts"),
    **JUDGED,
)


# Whether two systems differ, by people alone and with the model.
TWO_SYSTEMS = {
    (True, True): gettext_noop(
        "The two systems differ significantly by {few} alone, and differ significantly with {many} (p below 0.05 after "
        "Holm's correction, and an interval without 0)."
    ),
    (True, False): gettext_noop(
        "The two systems differ significantly by {few} alone, and do not differ significantly with {many} (p below "
        "0.05 after Holm's correction, and an interval without 0)."
    ),
    (False, True): gettext_noop(
        "The two systems do not differ significantly by {few} alone, and differ significantly with {many} (p below "
        "0.05 after Holm's correction, and an interval without 0)."
    ),
    (False, False): gettext_noop(
        "The two systems do not differ significantly by {few} alone, and do not differ significantly with {many} (p "
        "below 0.05 after Holm's correction, and an interval without 0)."
    ),
}

# The same where the model does not count at all.
ONE_PAIR_ALONE = {
    True: gettext_noop(
        "The two systems differ significantly by {few} alone (p below 0.05 after Holm's correction, and an interval "
        "without 0)."
    ),
    False: gettext_noop(
        "The two systems do not differ significantly by {few} alone (p below 0.05 after Holm's correction, and an "
        "interval without 0)."
    ),
}
