"""Consensus labels: the labels by each way, how far the ways agree, competence, and the least certain items."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import unit_called
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.consensus.figures import (
    CONSENSUS,
    SURE,
    WAYS,
    ConsensusOfAspect,
    ShareOfLabel,
    UncertainItem,
    Way,
)
from annotation_platform.analysis.sections.consensus.table_rows import (
    CompetenceRow,
    ShareWithLabel,
    TwoWaysRow,
    UncertainRow,
    WayRow,
)
from annotation_platform.analysis.sections.consensus.words import competence_reading
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import Estimate, estimate_of, estimated
from annotation_platform.analysis.tables.words import in_a_row, number, some


def consensus_of(asked: TableRequest) -> ConsensusOfAspect:
    return asked.section(CONSENSUS).aspects[asked.aspect]


def ways_table(asked: TableRequest) -> FigureTable | None:
    """What each way makes of the items: how many it decides, how sure it is, and how often it gives each label."""
    found = consensus_of(asked)
    if not sum(way.items + way.undecided for way in found.ways):
        return None
    rows = [_way_row(way) for way in found.ways]
    return FigureTable(
        name="consensus",
        unit=unit_called(found.unit),
        title=_("Consensus labels"),
        reading=_ways_reading(found),
        columns=[
            Column("name", _("Way")),
            Column("items", _("Items with a label"), "count"),
            Column("undecided", _("Tied"), "count"),
            Column("posterior", _("Mean posterior"), "share", True),
            *[Column(f"label_{label.key}", label.label, "share", True) for label in asked.head.labels],
        ],
        rows=rows,
    )


def _way_row(way: Way) -> WayRow:
    return WayRow(
        name=_(WAYS[way.way]),
        items=way.items,
        undecided=way.undecided,
        posterior=estimate_of(way.posterior),
        labels={key: _share(label, way.why_not) for key, label in way.labels.items()},
    )


def _share(label: ShareOfLabel, why: str) -> ShareWithLabel:
    share = estimated(label.share, label.interval, why, label.units)
    return ShareWithLabel(**vars(share), count=label.count)


def _ways_reading(found: ConsensusOfAspect) -> str:
    majority = found.ways[0]
    items = majority.items + majority.undecided
    if majority.undecided:
        share = number(majority.undecided / items, "share")
        text = (
            _("Majority leaves {n:,} of {items:,} items tied ({share})").format(
                n=majority.undecided, items=items, share=share
            )
            if items > 1
            else _("The only item is tied")
        )
    else:
        all_of_them = ngettext("Majority decides the only item", "Majority decides all {items:,} items", items)
        text = all_of_them.format(items=items)
    if found.undefined_because:
        undefined = _("{majority}. Dawid–Skene and MACE are not defined: {why}")
        return undefined.format(majority=text, why=why_in_language(found.undefined_because))
    said = _(
        "{majority}; Dawid–Skene and MACE weigh each annotator by how reliable they turn out to be, and decide every "
        "item. Their posteriors can hold only where annotators err independently of each other; of items that mislead "
        "many of them the models are too sure."
    )
    return " ".join([said.format(majority=text), *_ambiguous(found), *_sure_of_all(found)])


def _ambiguous(found: ConsensusOfAspect) -> list[str]:
    if not found.is_ambiguous:
        return []
    if 0 < len(found.ambiguous) < sum(each.mace.value is not None for each in found.annotators):
        said = _(
            "MACE has another solution here that explains the judgments about as well, in which others among {names} "
            "know more and other labels of what they judged may be true: take these labels, posteriors and competences "
            "for one of several."
        )
        return [said.format(names=in_a_row(some([*found.ambiguous])))]
    return [
        _(
            "MACE has another solution here that explains the judgments about as well, in which other annotators know "
            "more and other labels may be true: take its labels, posteriors and competences for one of several."
        )
    ]


def _sure_of_all(found: ConsensusOfAspect) -> list[str]:
    if not found.uncertain or any(_least_of(each) < SURE for each in found.uncertain):
        return []
    said = _("Both are at least {share} sure of every item, so none is listed as uncertain.")
    return [said.format(share=number(SURE, "share"))]


def _least_of(item: UncertainItem) -> float:
    return min(item.dawid_skene_posterior, item.mace_posterior)


def compared_table(asked: TableRequest) -> FigureTable | None:
    """How many items get the same label in two ways; None where there is only one way."""
    found = consensus_of(asked)
    if not found.compared:
        return None
    both = _("{first} and {second}")
    rows = [
        TwoWaysRow(
            name=both.format(first=_(each.first), second=_(each.second)),
            items=each.same.items,
            different=each.different,
            same=estimate_of(each.same),
            undefined_because=each.same.why_not,
        )
        for each in found.compared
    ]
    return FigureTable(
        name="consensus-ways",
        unit=unit_called(found.unit),
        title=_("Does the way matter?"),
        reading=_compared_reading(rows),
        columns=[
            Column("name", _("Ways")),
            Column("same", _("Same label"), "share", True),
            Column("different", _("Items that differ"), "count"),
            Column("items", _("Items with a label in both"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
    )


def _compared_reading(rows: list[TwoWaysRow]) -> str:
    """Each share with its interval, so that it can be seen which of them differ."""
    defined = [row for row in rows if row.same.value is not None]
    if not defined:
        return _("No item has a label in two ways.")
    first, others = _("{ways} give the same label to {share}"), _("{ways} to {share}")
    said = [
        (others if place else first).format(ways=row.name, share=_with_ends(row.same))
        for place, row in enumerate(defined)
    ]
    return _("Of the items that both decide, {words}.").format(words=in_a_row(said))


def _with_ends(share: Estimate) -> str:
    text = number(share.value, "share")
    return text if share.low is None else f"{text} [{number(share.low, 'share')}, {number(share.high, 'share')}]"


def competence_table(asked: TableRequest) -> FigureTable | None:
    """Each annotator's competence in both models, in the order of the other pages; None without the models."""
    found = consensus_of(asked)
    if not found.annotators:
        return None
    rows = [
        CompetenceRow(
            name=each.name,
            judgments=each.judgments,
            items=each.items,
            mace=estimate_of(each.mace),
            dawid_skene=estimate_of(each.dawid_skene),
            undefined_because=each.mace.why_not,
        )
        for each in found.annotators
    ]
    return FigureTable(
        name="competence",
        unit=unit_called(found.unit),
        title=_("Competence of the annotators"),
        reading=competence_reading(rows),
        columns=[
            Column("name", _("Annotator")),
            Column("mace", _("Knows the label (MACE)"), "share", True),
            Column("dawid_skene", _("Gives the true label (Dawid–Skene)"), "share", True),
            Column("judgments", _("Judgments"), "count"),
            Column("items", _("Items"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "competence-mace": _(
                "MACE: how often an annotator knows the label instead of guessing; lines are 95\u00a0% intervals."
            ),
            "competence-dawid-skene": _(
                "Dawid–Skene: how often an annotator gives the true label; lines are 95\u00a0% intervals."
            ),
        }
        if any(row.mace.value is not None for row in rows)
        else {},
        ranked_by={"competence-mace": "mace", "competence-dawid-skene": "dawid_skene"},
        draws={"competence-mace": ("mace",), "competence-dawid-skene": ("dawid_skene",)},
    )


def uncertain_table(asked: TableRequest) -> FigureTable | None:
    """The items that a model is not sure of; None without the models, or where both are sure of every item."""
    found = consensus_of(asked)
    uncertain = [each for each in found.uncertain if _least_of(each) < SURE]
    if not uncertain:
        return None
    title = {label.key: label.label for label in asked.head.labels}
    rows = [
        UncertainRow(
            item=each.item,
            text=each.text,
            article=each.article,
            question=each.question,
            system=each.system,
            majority=_("tied") if each.majority is None else title[each.majority],
            dawid_skene=title[each.dawid_skene],
            dawid_skene_posterior=each.dawid_skene_posterior,
            mace=title[each.mace],
            mace_posterior=each.mace_posterior,
        )
        for each in uncertain
    ]
    has_system = any(row.system for row in rows)
    return FigureTable(
        name="uncertain",
        title=_("The least certain items"),
        reading=_uncertain_reading(rows, asked.head, found.unsure),
        columns=[
            Column("article", _("Article")),
            Column("question", _("Question")),
            *([Column("system", _("System"))] if has_system else []),
            Column("majority", _("Majority")),
            Column("dawid_skene", _("Dawid–Skene")),
            Column("dawid_skene_posterior", _("Posterior (Dawid–Skene)"), "share"),
            Column("mace", _("MACE")),
            Column("mace_posterior", _("Posterior (MACE)"), "share"),
        ],
        rows=rows,
    )


def _uncertain_reading(rows: list[UncertainRow], head: AspectHead, unsure: int) -> str:
    """``unsure``: how many there are, of which the rows are the least certain."""
    least = min(row.least for row in rows)
    is_part = head.per == "candidate"
    if unsure > len(rows):
        which = _("{of:,} candidates") if is_part else _("{of:,} items")
        said = _(
            "Of {which} at least one of the two models is less than {sure} sure; the {n} least certain are listed, the "
            "least certain first, with {least}. Guessing among {labels} labels would be {chance}."
        )
    else:
        which = (
            ngettext("this candidate", "these {n} candidates", len(rows))
            if is_part
            else ngettext("this item", "these {n} items", len(rows))
        )
        said = _(
            "Of {which} at least one of the two models is less than {sure} sure; the least certain comes first, with "
            "{least}. Guessing among {labels} labels would be {chance}."
        )
    return said.format(
        which=which.format(n=len(rows), of=unsure),
        n=len(rows),
        sure=number(SURE, "share"),
        least=number(least, "share"),
        labels=len(head.labels),
        chance=number(1 / len(head.labels), "share"),
    )


TABLES = {
    "consensus": TableOf((CONSENSUS.key,), ways_table),
    "consensus-ways": TableOf((CONSENSUS.key,), compared_table),
    "competence": TableOf((CONSENSUS.key,), competence_table),
    "uncertain": TableOf((CONSENSUS.key,), uncertain_table),
}
