"""How reliable the annotators are, in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.consensus.table_rows import CompetenceRow
from annotation_platform.analysis.tables.rows import Estimate
from annotation_platform.analysis.tables.words import in_a_row, number, some


@dataclass(frozen=True)
class CompetenceWords:
    """What is said of a model's competence: where it is not defined, of one annotator, and of the least and the most
    reliable without intervals, with intervals that do not meet, and with others."""

    undefined: str
    one: str
    no_interval: str
    apart: str
    chance: str


MACE = CompetenceWords(
    undefined=gettext_noop("How often an annotator knows the label (MACE) is not defined: {why}"),
    one=gettext_noop("Annotator {most} knows the label (MACE) in {high} of cases."),
    no_interval=gettext_noop(
        "How often an annotator knows the label (MACE) runs from {low} (annotator {least}) to {high} (annotator "
        "{most}), without intervals, so that nobody can be said to be more reliable."
    ),
    apart=gettext_noop(
        "How often an annotator knows the label (MACE) runs from {low} (annotator {least}) to {high} (annotator "
        "{most}), and their intervals do not meet."
    ),
    chance=gettext_noop(
        "How often an annotator knows the label (MACE) runs from {low} (annotator {least}) to {high} (annotator "
        "{most}), a difference that may be chance."
    ),
)
DAWID_SKENE = CompetenceWords(
    undefined=gettext_noop("How often an annotator gives the true label (Dawid–Skene) is not defined: {why}"),
    one=gettext_noop("Annotator {most} gives the true label (Dawid–Skene) in {high} of cases."),
    no_interval=gettext_noop(
        "How often an annotator gives the true label (Dawid–Skene) runs from {low} (annotator {least}) to {high} "
        "(annotator {most}), without intervals, so that nobody can be said to be more reliable."
    ),
    apart=gettext_noop(
        "How often an annotator gives the true label (Dawid–Skene) runs from {low} (annotator {least}) to {high} "
        "(annotator {most}), and their intervals do not meet."
    ),
    chance=gettext_noop(
        "How often an annotator gives the true label (Dawid–Skene) runs from {low} (annotator {least}) to {high} "
        "(annotator {most}), a difference that may be chance."
    ),
)


def competence_reading(rows: list[CompetenceRow]) -> str:
    """How reliable the annotators are by either model, and who mostly guesses."""
    mace, dawid_skene = {row.name: row.mace for row in rows}, {row.name: row.dawid_skene for row in rows}
    why = rows[0].undefined_because
    return " ".join([between_whom(mace, MACE, why), *guessing(rows), between_whom(dawid_skene, DAWID_SKENE, why)])


def between_whom(found: Mapping[str, Estimate], words: CompetenceWords, why: str) -> str:
    """Between whom it runs, and whether their intervals say that the two differ; ``why`` it is not defined."""
    values = {name: each.value for name, each in found.items() if each.value is not None}
    if not values:
        return _(words.undefined).format(why=why_in_language(why))
    least, most = (pick(values, key=lambda name: values[name]) for pick in (min, max))
    upper, lower = found[least].high, found[most].low
    if least == most:
        said = words.one
    elif upper is None or lower is None:
        said = words.no_interval
    else:
        said = words.apart if upper < lower else words.chance
    return _(said).format(
        low=number(values[least], "share"), least=least, high=number(values[most], "share"), most=most
    )


def guessing(rows: list[CompetenceRow]) -> list[str]:
    """Who significantly guesses more often than they know the label."""
    sure = [row.name for row in rows if row.mace.high is not None and row.mace.high < 0.5]
    if not sure:
        return []
    said = ngettext(
        "Annotator {names} guesses more often than they know: the interval lies below 50\u00a0%.",
        "Annotators {names} guess more often than they know: their intervals lie below 50\u00a0%.",
        len(sure),
    )
    return [said.format(names=in_a_row(some(sure)))]
