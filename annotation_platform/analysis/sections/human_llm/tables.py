"""People and a language model: in a rater's place, beside raters, and against their majority."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.sections.human_llm import alternative
from annotation_platform.analysis.sections.human_llm.alignment import alignment_reading
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM, JudgedAspect
from annotation_platform.analysis.sections.human_llm.replacement import named, replacement_table
from annotation_platform.analysis.sections.human_llm.table_rows import (
    AdditionalRow,
    AlignmentRow,
    ConfusionRow,
    PreferenceRow,
)
from annotation_platform.analysis.sections.mate import tables as mate
from annotation_platform.analysis.sections.mate.figures import Composite
from annotation_platform.analysis.sections.number_of_raters.figures import NUMBER_OF_RATERS
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.leading import highest
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of, estimated
from annotation_platform.analysis.tables.words import change_heading, in_a_row, sign, some, upper_first

NO_LABEL = gettext_noop("no label")


def titles(asked: TableRequest) -> dict[str, str]:
    return {each.aspect: each.title for each in asked.snapshot.head.aspects}


def judged(asked: TableRequest) -> list[tuple[str, JudgedAspect]]:
    """(title, figures) of the aspects that the model gave labels on, in the order of the snapshot."""
    found = asked.section(HUMAN_LLM).aspects
    return [(title, found[key]) for key, title in titles(asked).items() if key in found]


def alignment_table(asked: TableRequest) -> FigureTable | None:
    """The model against the majority of people: rank correlation (ACORN, figure 4) and share of equal labels."""
    aspects = judged(asked)
    if not aspects:
        return None
    rows = [
        AlignmentRow(
            aspect=title,
            items=figures.accuracy.items,
            failures=figures.failures,
            left_open=figures.left_open,
            undecided=figures.undecided,
            judgments=figures.accuracy.items,
            rho=estimate_of(figures.spearman),
            accuracy=estimate_of(figures.accuracy),
            remark=figures.spearman.remark or figures.spearman.why_not,
            has_order=not figures.spearman.remark,
        )
        for title, figures in aspects
    ]
    return FigureTable(
        name="llm-alignment",
        title=_("Against the majority"),
        reading=alignment_reading(rows),
        columns=[
            Column("aspect", _("Aspect")),
            Column("rho", _("Spearman's ρ"), "value", True),
            Column("accuracy", _("Same label"), "share", True),
            Column("items", _("Items"), "count"),
            Column("failures", _("No label read"), "count"),
            *([Column("left_open", _("Left open"), "count")] if any(row.left_open for row in rows) else []),
            Column("undecided", _("Ties left out"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        charts={
            "llm-alignment": _(
                "Dots are Spearman's ρ of the model's labels with people's majority, lines 95\u00a0% intervals."
            ),
            "llm-alignment-share": _(
                "Dots are the share of items with the majority's label, lines 95\u00a0% intervals."
            ),
        },
        draws={"llm-alignment": ("rho",), "llm-alignment-share": ("accuracy",)},
    )


def additional_table(asked: TableRequest) -> FigureTable | None:
    """k people with and without the model, over all aspects with an order (ACORN, figure 5)."""
    section = asked.section(NUMBER_OF_RATERS)
    if not (found := section.over_aspects):
        return None
    left_out = [titles(asked)[key] for key in section.left_out]
    rows = [
        AdditionalRow(
            raters=each.raters,
            helps=each.helps,
            harms=each.harms,
            aspects=each.aspects,
            items=each.with_model.items,
            alone=estimate_of(each.alone),
            with_model=estimate_of(each.with_model),
            change=estimate_of(each.change),
            p_value=each.change.p_value,
            p_holm=each.change.p_holm,
            is_certain=is_certain(each.change),
        )
        for each in found
    ]
    return FigureTable(
        name="llm-additional",
        title=_("As one more rater"),
        reading=" ".join([_additional_reading(rows), *_left_out(left_out)]),
        columns=[
            Column("raters", _("People"), "count"),
            Column("alone", _("ρ of their vote"), "value", True),
            Column("with_model", _("ρ with the model's vote too"), "value", True),
            Column("change", change_heading(), "value", True),
            Column("p_value", "p", "p"),
            Column("p_holm", _("p (Holm)"), "p"),
            Column("helps", _("Aspects where it significantly helps"), "count"),
            Column("harms", _("Aspects where it significantly harms"), "count"),
            Column("aspects", _("Aspects"), "count"),
            Column("items", _("Items"), "count"),
        ],
        rows=rows,
        charts={
            "llm-additional": _(
                "Dots are Spearman's ρ with the vote of all people, their own among them; the mean over aspects that "
                "have an order, the same ones at every number of people, lines 95\u00a0% intervals. Each aspect is on "
                "the page Number of raters."
            )
        },
        draws={"llm-additional": ("alone", "with_model")},
    )


def confusion_table(asked: TableRequest) -> FigureTable | None:
    """Which label the model gave where people's majority gave which, on one aspect."""
    figures = asked.section(HUMAN_LLM).aspects.get(asked.aspect)
    if not figures or not figures.confusion:
        return None
    labels = {label.key: label.label for label in asked.head.labels} | {"": _(NO_LABEL)}
    total: dict[str, int] = {}
    for cell in figures.confusion:
        total[cell.majority] = total.get(cell.majority, 0) + cell.count
    rows = [
        ConfusionRow(
            majority=labels[cell.majority],
            model=labels[cell.model],
            count=cell.count,
            of=total[cell.majority],
            is_same=cell.majority == cell.model,
            share=estimated(
                cell.count / total[cell.majority], cell.interval, cell.no_interval_because or "", cell.units
            ),
        )
        for cell in figures.confusion
    ]
    return FigureTable(
        name="llm-confusion",
        title=_("Where they differ"),
        reading=_confusion_reading(rows),
        columns=[
            Column("majority", _("People's majority")),
            Column("model", _("The model")),
            Column("count", _("Items"), "count"),
            Column("share", _("Of that majority"), "share", True),
            Column("of", _("Items with that majority"), "count"),
        ],
        rows=rows,
        charts={
            "llm-confusion": _(
                "Numbers are items; each row is a label of people's majority; the stronger the colour, the larger a "
                "share of it. In a frame: the same label. All labels of the scale are shown, also those never given."
            )
        },
        meta={"query": f"?aspect={asked.aspect}", "labels": [label.label for label in asked.head.labels]},
    )


def preference_table(asked: TableRequest) -> FigureTable | None:
    """How many items have how many people agreeing on the best candidate."""
    rows = [
        PreferenceRow(aspect=titles(asked).get(key, key), agreeing=int(size), items=items)
        for key, sizes in asked.section(HUMAN_LLM).unanimity.items()
        for size, items in sizes.items()
    ]
    if not rows:
        return None
    return FigureTable(
        name="preference",
        title=_("Do people prefer the same one?"),
        reading=_preference_reading(rows),
        columns=[
            Column("aspect", _("Aspect")),
            Column("agreeing", _("People who agree"), "count"),
            Column("items", _("Items"), "count"),
        ],
        rows=rows,
    )


def _preference_reading(rows: list[PreferenceRow]) -> str:
    """For each aspect, on how many items the most people agree that agree anywhere."""
    by_aspect: dict[str, list[PreferenceRow]] = {}
    for row in rows:
        by_aspect.setdefault(row.aspect, []).append(row)
    said = []
    for title, own in by_aspect.items():
        most, total = max(row.agreeing for row in own), sum(row.items for row in own)
        agreed = sum(row.items for row in own if row.agreeing == most)
        text = _("on {agreed:,} of {total:,} items {most} people prefer the same candidate.")
        if most < 2:
            text = _("on none of {total:,} items do two people prefer the same candidate.")
        text = text.format(agreed=agreed, total=total, most=most)
        several = _("“{aspect}”: {words}").format(aspect=title, words=text)
        said.append(several if len(by_aspect) > 1 else upper_first(text))
    return " ".join(said)


def _additional_reading(rows: list[AdditionalRow]) -> str:
    if not rows:
        return _("No aspect has an order.")
    said: dict[str, list[str]] = {}
    for row in rows:
        if row.change.value is None:
            continue
        how = (RAISES if row.change.value > 0 else LOWERS) if row.is_certain else NO_DIFFERENCE
        who = ngettext("{n} person ({change})", "{n} people ({change})", row.raters)
        said.setdefault(how, []).append(who.format(n=row.raters, change=sign(row.change.value)))
    if not said:
        return _("What the model's vote adds is not defined.")
    parts = _(", and ").join(_(how).format(people=in_a_row(people)) for how, people in said.items())
    sentence = ngettext(
        "On the only aspect with an order, the model's vote {parts}.",
        "On average over the same {n} aspects with an order, the model's vote {parts}.",
        rows[0].aspects,
    )
    return sentence.format(n=rows[0].aspects, parts=parts)


RAISES = gettext_noop("significantly raises ρ beside the vote of {people}")
LOWERS = gettext_noop("significantly lowers ρ beside the vote of {people}")
NO_DIFFERENCE = gettext_noop("makes no significant difference beside the vote of {people}")


def _left_out(titles: list[str]) -> list[str]:
    if not titles:
        return []
    said = _("Left out, since other numbers of people judged them or their ρ is not defined: {aspects}.")
    return [said.format(aspects=named(titles))]


def _confusion_reading(rows: list[ConfusionRow]) -> str:
    total, same = sum(row.count for row in rows), sum(row.count for row in rows if row.is_same)
    wrong = [row for row in rows if not row.is_same]
    if not wrong:
        return _("The model gives the majority's label on {same:,} of {total:,} items.").format(same=same, total=total)
    most, where = highest(wrong, lambda row: row.count, "count"), _("“{model}” where people say “{majority}”")
    parts = [where.format(model=row.model, majority=row.majority) for row in most]
    said = ngettext(
        "The model gives the majority's label on {same:,} of {total:,} items; of the others it most often says {parts} "
        "({n:,}).",
        "The model gives the majority's label on {same:,} of {total:,} items; of the others it most often says {parts} "
        "({n:,} each).",
        len(most),
    )
    return said.format(same=same, total=total, parts=in_a_row(some(parts)), n=most[0].count)


def _composites(asked: TableRequest) -> list[Composite]:
    return list(asked.section(HUMAN_LLM).composites.values())


TABLES = {
    "llm-replacement": TableOf((HUMAN_LLM.key,), lambda asked: replacement_table(judged(asked)), of_study=True),
    "llm-alternative": TableOf(
        (HUMAN_LLM.key,),
        lambda asked: alternative.aspects_table(asked, [(title, each.alternative) for title, each in judged(asked)]),
        of_study=True,
    ),
    "llm-alternative-people": TableOf((HUMAN_LLM.key,), alternative.people_table),
    "llm-alignment": TableOf((HUMAN_LLM.key,), alignment_table, of_study=True),
    "llm-additional": TableOf((NUMBER_OF_RATERS.key, HUMAN_LLM.key), additional_table, of_study=True),
    "llm-confusion": TableOf((HUMAN_LLM.key,), confusion_table),
    "preference": TableOf((HUMAN_LLM.key,), preference_table, of_study=True),
    "mate-correlations": TableOf(
        (HUMAN_LLM.key,), lambda asked: mate.correlations_table(_composites(asked)), of_study=True
    ),
    "mate-systems": TableOf((HUMAN_LLM.key,), lambda asked: mate.systems_table(_composites(asked)), of_study=True),
    "mate-weights": TableOf((HUMAN_LLM.key,), lambda asked: mate.weights_table(_composites(asked)), of_study=True),
    "mate-bias": TableOf(
        (HUMAN_LLM.key,),
        lambda asked: mate.bias_table(_composites(asked), asked.snapshot.head.aspects),
        of_study=True,
    ),
}
