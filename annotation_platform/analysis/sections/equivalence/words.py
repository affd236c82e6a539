"""What an answer-equivalence run says beside people, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.equivalence.figures import Equivalence, ShareOfAll
from annotation_platform.analysis.sections.equivalence.table_rows import SystemRow, WayRow
from annotation_platform.analysis.tables.leading import highest, leads
from annotation_platform.analysis.tables.rows import Estimate
from annotation_platform.analysis.tables.words import from_to, in_a_row, number, with_ends
from annotation_platform.core.methods.equivalence.rules import Rule

# What a chart shows: whether tasks were drawn, and whether the classifier is nowhere reckoned with.
DRAWN = {
    (False, True): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}: from the answers "
        "that they judged."
    ),
    (False, False): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}: from the answers "
        "that they judged, and with the classifier's probabilities of all."
    ),
    (True, True): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}, with the answers of "
        "one drawn task kept together: from the answers that they judged."
    ),
    (True, False): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}, with the answers of "
        "one drawn task kept together: from the answers that they judged, and with the classifier's probabilities of "
        "all."
    ),
}
BY_PLATFORM = ("random", "uncertainty")
RESTS_ON = {
    "declared": gettext_noop(
        "That the answers which people judged were drawn at random is what the study's settings say; they correct what "
        "the classifier gets wrong."
    ),
    "random": gettext_noop(
        "The answers that people judged were drawn at random; they correct what the classifier gets wrong."
    ),
    "uncertainty": gettext_noop(
        "The answers that people judged were drawn by a model's uncertainty, so that each is weighed by the chance "
        "that it had; they correct what the classifier gets wrong."
    ),
}
RULES = {
    Rule.ALIASES: gettext_noop("aliases"),
    Rule.NUMBERS: gettext_noop("numbers"),
    Rule.FEWER: gettext_noop("fewer details"),
    Rule.MORE: gettext_noop("more details"),
    Rule.MEANING: gettext_noop("meaning"),
    Rule.IRRELEVANT: gettext_noop("irrelevant"),
    Rule.OTHER: gettext_noop("other possible"),
}


def ways_reading(found: Equivalence, rows: list[WayRow]) -> str:
    """How often the classifier says what most people say, and the best of the simple ways."""
    classifier, *others = rows
    share = number(classifier.accuracy.value, "share")
    said = _("The classifier says what most people say of {share} of {answers:,} answers to {questions:,} questions")
    text = said.format(share=share, answers=found.answers, questions=found.questions)
    if ways := simple_ways(others):
        text = _("{words}; {ways}").format(words=text, ways=ways)
    return " ".join([_("{words}.").format(words=text), *_alike(classifier)])


def _alike(classifier: WayRow) -> list[str]:
    """What does not go by which verdict is more usual."""
    f1, auc = classifier.macro_f1, classifier.auc
    if f1.value is None or auc.value is None:
        return []
    said = _(
        "Macro-F1, which weighs right and wrong answers alike, is {f1}; AUC, how often a right answer has a higher "
        "probability than a wrong one, is {auc}."
    )
    return [said.format(f1=_with_ends(f1), auc=_with_ends(auc))]


def _with_ends(found: Estimate) -> str:
    interval = None if found.low is None or found.high is None else (found.low, found.high)
    return with_ends(found.value, interval, "value")


def simple_ways(others: list[WayRow]) -> str:
    best = highest(others, lambda row: row.accuracy.value, "value")
    if not best:
        return ""
    if leads(best, others, lambda row: row.accuracy):
        said = ngettext(
            "of the simple ways {names} has the highest share, {share}",
            "of the simple ways {names} have the highest share, {share}",
            len(best),
        )
    else:
        said = ngettext(
            "of the simple ways {names} has the highest share, {share}, not significantly ahead",
            "of the simple ways {names} have the highest share, {share}, not significantly ahead",
            len(best),
        )
    return said.format(names=in_a_row([row.way for row in best]), share=number(best[0].accuracy.value, "share"))


def widest_gap(rows: list[SystemRow]) -> str:
    """For which systems people and the classifier differ most."""
    widest = highest(rows, lambda row: row.gap, "share")
    if not widest or number(widest[0].gap, "share") == number(0, "share"):
        return _("People and the classifier take the same share of every system's answers as right.")
    taken = _("{system} (people take {people} of its answers as right, the classifier {classifier})")
    said = [
        taken.format(
            system=row.system,
            people=number(row.right.value, "share"),
            classifier=number(row.taken.value, "share"),
        )
        for row in widest
    ]
    return _("The shares lie furthest apart for {systems}.").format(systems=in_a_row(said))


def of_all_reading(found: tuple[ShareOfAll, ...], drawn: str) -> str:
    """For how many systems the classifier helps and how much; always on what it rests."""
    worth = [each.effective / each.people.judgments for each in found if each.effective]
    if not worth:
        unlike = _("What it says does not go with people's verdicts.")
        off = {why_in_language(each.no_model_because) if each.no_model_because else unlike for each in found}
        why = off.pop() if len(off) == 1 else _("The table says why, and gives their own shares.")
        own = _("Here the classifier adds nothing to what people said. {why}").format(why=why)
        return f"{own} {_(RESTS_ON[drawn])}" if drawn == "uncertainty" else own
    if drawn in BY_PLATFORM:
        said = _(
            "For {n} of {of} systems, people's verdicts together with the classifier's tell as much as {times} times "
            "as many verdicts of people alone about answers drawn at random."
        )
    else:
        said = _(
            "For {n} of {of} systems, people's verdicts together with the classifier's tell as much as {times} times "
            "as many verdicts of people alone."
        )
    times = from_to(f"{min(worth):.1f}", f"{max(worth):.1f}")
    return f"{said.format(n=len(worth), of=len(found), times=times)} {_(RESTS_ON[drawn])}"


def rule_called(key: str) -> str:
    """A rule by its name; one of another version by its key."""
    known: dict[str, str] = {str(rule): words for rule, words in RULES.items()}
    return _(known[key]) if key in known else key.replace("_", " ")
