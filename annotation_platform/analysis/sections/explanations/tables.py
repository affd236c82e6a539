"""What sets explanations apart, and what they are about, as rows."""

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.explanations.figures import (
    EXPLANATIONS,
    ExplanationsOfAspect,
    GroupWords,
    Theme,
)
from annotation_platform.analysis.sections.explanations.table_rows import ThemeRow, WordRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.words import in_a_row, number
from annotation_platform.core.reasons import ngettext_noop

KINDS = {"labels": gettext_noop("Label"), "systems": gettext_noop("System"), "annotators": gettext_noop("Annotator")}
OF_THIS = {
    "labels": gettext_noop("of this label"),
    "systems": gettext_noop("of this system"),
    "annotators": gettext_noop("of this annotator"),
}
TITLES = {
    "labels": gettext_noop("Words of each label"),
    "systems": gettext_noop("Words about each system"),
    "annotators": gettext_noop("Words of each annotator"),
}
AGAINST = {
    "labels": gettext_noop("in what the same annotators wrote with other labels"),
    "systems": gettext_noop("in what the same annotators wrote about other systems"),
    "annotators": gettext_noop("in what others wrote with the same labels"),
}
NOT_SHOWN = {
    "labels": ngettext_noop(
        "{n} label with fewer explanations is not shown.", "{n} labels with fewer explanations are not shown."
    ),
    "systems": ngettext_noop(
        "{n} system with fewer explanations is not shown.", "{n} systems with fewer explanations are not shown."
    ),
    "annotators": ngettext_noop(
        "{n} annotator with fewer explanations is not shown.", "{n} annotators with fewer explanations are not shown."
    ),
}
MOST_QUOTED = 3  # words in a sentence


def explanations_of(asked: TableRequest) -> ExplanationsOfAspect | None:
    """Those of the aspect that is shown; None where nothing explains its labels."""
    return asked.section(EXPLANATIONS).get(asked.aspect)


def names_of(asked: TableRequest, kind: str) -> dict[str, str]:
    """What the groups of a kind are called; systems and annotators by their own names."""
    return {label.key: label.label for label in asked.head.labels} if kind == "labels" else {}


def group_reading(group: GroupWords, name: str, kind: str) -> str:
    """What sets one group apart, in a sentence."""
    n = ngettext("{n} explanation", "{n} explanations", group.documents).format(n=number(group.documents, "count"))
    return _("“{name}”, {n}: {words}").format(name=name, n=n, words=_group_in_words(group, kind))


def _group_in_words(group: GroupWords, kind: str) -> str:
    if group.undefined_because:
        return why_in_language(group.undefined_because)
    if not group.words:
        return _("no word is significantly more usual than {there}.").format(there=_(AGAINST[kind]))
    first = [_("“{word}”").format(word=word.term) for word in group.words[:MOST_QUOTED]]
    others = len(group.words) + group.more - len(first)
    words = in_a_row([*first, _("{n:,} more").format(n=others)] if others else first)
    sentence = ngettext(
        "{words} is more usual than {there}.", "{words} are more usual than {there}.", len(first) + others
    )
    return sentence.format(words=words, there=_(AGAINST[kind]))


def left_out_reading(group: GroupWords) -> str:
    """How many words were not named because they rest on one annotator."""
    n = group.of_one_annotator
    if not n:
        return ""
    sentence = ngettext(
        "{n:,} more rests on one annotator and is left out.", "{n:,} more rest on one annotator and are left out.", n
    )
    return sentence.format(n=n)


def _words_table(kind: str) -> Callable[[TableRequest], FigureTable | None]:
    """The words of every group of a kind, or of the one that the address names (``group``)."""

    def table(asked: TableRequest) -> FigureTable | None:
        found = explanations_of(asked)
        groups = found.groups[kind] if found else ()
        if len(groups) < 2:
            return None
        assert found is not None
        names = names_of(asked, kind)
        wanted = asked.parameters.get("group")
        groups = tuple(group for group in groups if wanted in (None, "", group.name)) or groups
        rows = [row for group in groups for row in _rows(group, names.get(group.name, group.name))]
        told = [
            " ".join(filter(None, [group_reading(group, names.get(group.name, group.name), kind), rest]))
            for group in groups
            for rest in [left_out_reading(group)]
        ]
        name = f"words-{kind}"
        caption = _("Log-odds ratios of the words that stand out most, by z.") if wanted else caption_of(kind)
        return FigureTable(
            name=name,
            title=_(TITLES[kind]),
            reading=" ".join([*told, left_out_groups(found, kind)]).strip(),
            columns=_columns(kind),
            rows=rows,
            charts={name: caption} if rows else {},
            meta={"query": asked.query_of("group")},
            cautions=cautions(found, kind),
        )

    return table


def caption_of(kind: str) -> str:
    """What the dots of all groups are."""
    return _(
        "Dots are log-odds ratios of single words and of two words in a row, above 0 where they are more usual than "
        "{there}."
    ).format(there=_(AGAINST[kind]))


def left_out_groups(found: ExplanationsOfAspect, kind: str) -> str:
    """How many groups are not there because others have more explanations."""
    n = found.left_out.get(kind, 0)
    if not n:
        return ""
    said = NOT_SHOWN[kind]
    return ngettext(said.one, said.other, n).format(n=n)


def cautions(found: ExplanationsOfAspect, kind: str) -> tuple[str, ...]:
    if kind == "annotators" or found.annotators > 1:
        return ()
    return (_("One annotator wrote all explanations: what sets them apart may be this annotator's way to write."),)


def _columns(kind: str) -> list[Column]:
    return [
        Column("group", _(KINDS[kind])),
        Column("term", _("Word or phrase")),
        Column("documents", _("Explanations with it"), "count"),
        Column("of", _(OF_THIS[kind]), "count"),
        Column("others", _("Others with it"), "count"),
        Column("of_others", _("of others"), "count"),
        Column("log_odds", _("Log-odds ratio"), "value"),
        Column("z", "z", "value"),
        Column("p_holm", _("Corrected p"), "p"),
        *([Column("z_without_one", _("Least z without one annotator"), "value")] if kind != "annotators" else []),
        Column("wordings", _("Different ones"), "count"),
        Column("example", _("For example")),
    ]


def _rows(group: GroupWords, name: str) -> list[WordRow]:
    return [
        WordRow(
            group=name,
            term=word.term,
            documents=word.documents,
            of=group.documents,
            others=word.others,
            of_others=group.others,
            log_odds=word.log_odds,
            z=word.z,
            p_holm=word.p_holm,
            z_without_one=word.z_without_one,
            wordings=word.wordings,
            example=word.example.text,
            item=word.example.item,
        )
        for word in group.words
    ]


def themes_table(asked: TableRequest) -> FigureTable | None:
    """The themes with their words and how many explanations of each label are mostly about them."""
    found = explanations_of(asked)
    if found is None or not found.themes:
        return None
    names, of_label = names_of(asked, "labels"), _("of “{label}”")
    labels = {label: names.get(label, label) for label in found.explained}
    rows = [_theme_row(place, theme, found) for place, theme in enumerate(found.themes, start=1)]
    return FigureTable(
        name="themes",
        title=_("Themes"),
        reading=themes_reading(found),
        columns=[
            Column("theme", _("Theme")),
            Column("documents", _("Explanations"), "count"),
            Column("share", _("Share"), "share"),
            *(Column(f"of_{label}", of_label.format(label=name), "share") for label, name in labels.items()),
            Column("words", _("Words")),
            Column("example", _("For example")),
        ],
        rows=rows,
        meta={"labels": labels},
        charts={"themes": _("How many of the explanations of each label are mostly about each theme.")},
    )


def _theme_row(place: int, theme: Theme, found: ExplanationsOfAspect) -> ThemeRow:
    return ThemeRow(
        theme=f"{place}. {', '.join(theme.words[:MOST_QUOTED])}",
        words=", ".join(theme.words),
        documents=theme.documents,
        share=theme.documents / found.explanations,
        example=theme.quotations[0].text if theme.quotations else "",
        of={label: theme.by_label.get(label, 0) / n for label, n in found.explained.items()},
    )


def themes_reading(found: ExplanationsOfAspect) -> str:
    """How many themes there are, and of how many explanations."""
    without = found.explanations - sum(theme.documents for theme in found.themes)
    said = [
        _(
            "{n} themes: words that come together in {explanations:,} explanations ({different:,} different ones), "
            "each counted with the theme that most of it belongs to."
        ).format(n=len(found.themes), explanations=found.explanations, different=found.different)
    ]
    if without:
        rest = ngettext(
            "{n:,} has none of the words that themes are made of.",
            "{n:,} have none of the words that themes are made of.",
            without,
        )
        said.append(rest.format(n=without))
    return " ".join(said)


def stability_reading(found: ExplanationsOfAspect) -> str:
    """Why there are so many themes."""
    number_of = len(found.themes)
    if not number_of:
        return ""
    stability, by_chance = found.stability[number_of], found.of_shuffled[number_of]
    return _(
        "Of 2 to {most} themes, {n} come out again most clearly in halves of the explanations: their first words are "
        "alike by {stability} (1 is the same ones), {by_chance} where words come together by chance."
    ).format(
        most=max(found.stability),
        n=number_of,
        stability=number(stability, "value"),
        by_chance=number(by_chance, "value"),
    )


TABLES = {
    **{f"words-{kind}": TableOf((EXPLANATIONS.key,), _words_table(kind)) for kind in KINDS},
    "themes": TableOf((EXPLANATIONS.key,), themes_table),
}
