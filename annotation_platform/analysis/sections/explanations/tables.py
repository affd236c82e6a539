"""What sets explanations apart, and what they are about, as rows."""

from collections.abc import Callable, Mapping

from annotation_platform.analysis.sections.explanations.figures import EXPLANATIONS, ExplanationsOfAspect, GroupWords
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, in_a_row, number
from annotation_platform.analysis.tables.request import TableOf, TableRequest

KINDS = {"labels": "Label", "systems": "System", "annotators": "Annotator"}
TITLES = {
    "labels": "Words of each label",
    "systems": "Words about each system",
    "annotators": "Words of each annotator",
}
AGAINST = {
    "labels": "in what the same annotators wrote with other labels",
    "systems": "in what the same annotators wrote about other systems",
    "annotators": "in what others wrote with the same labels",
}
CAPTION = "Dots are log-odds ratios of single words and of two words in a row, above 0 where they are more usual than"
MOST_QUOTED = 3  # words in a sentence


def explanations_of(asked: TableRequest) -> ExplanationsOfAspect | None:
    """Those of the aspect that is shown; None where nothing explains its labels."""
    return asked.section(EXPLANATIONS).get(asked.aspect)


def names_of(asked: TableRequest, kind: str) -> dict[str, str]:
    """What the groups of a kind are called; systems and annotators by their own names."""
    return {label.key: label.label for label in asked.head.labels} if kind == "labels" else {}


def group_reading(group: GroupWords, name: str, kind: str) -> str:
    """What sets one group apart, in a sentence."""
    n = f"{number(group.documents, 'count')} explanation{'' if group.documents == 1 else 's'}"
    if group.undefined_because:
        return f"“{name}”, {n}: {group.undefined_because}"
    if not group.words:
        return f"“{name}”, {n}: no word is significantly more usual than {AGAINST[kind]}."
    first = [f"“{word.term}”" for word in group.words[:MOST_QUOTED]]
    others = len(group.words) + group.more - len(first)
    words = in_a_row([*first, f"{others:,} more"] if others else first)
    verb = "is" if len(first) + others == 1 else "are"
    return f"“{name}”, {n}: {words} {verb} more usual than {AGAINST[kind]}."


def left_out_reading(group: GroupWords) -> str:
    """How many words were not named because they rest on one annotator."""
    n = group.of_one_annotator
    if not n:
        return ""
    return f"{n:,} more {'rests' if n == 1 else 'rest'} on one annotator and {'is' if n == 1 else 'are'} left out."


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
        rows = [row for group in groups for row in _rows(group, names, kind)]
        told = [
            " ".join(filter(None, [group_reading(group, names.get(group.name, group.name), kind), rest]))
            for group in groups
            for rest in [left_out_reading(group)]
        ]
        name = f"words-{kind}"
        caption = "Log-odds ratios of the words that stand out most, by z." if wanted else f"{CAPTION} {AGAINST[kind]}."
        return FigureTable(
            name=name,
            title=TITLES[kind],
            reading=" ".join([*told, left_out_groups(found, kind)]).strip(),
            columns=_columns(kind),
            rows=rows,
            charts={name: caption} if rows else {},
            meta={"query": asked.query_of("group")},
            cautions=cautions(found, kind),
        )

    return table


def left_out_groups(found: ExplanationsOfAspect, kind: str) -> str:
    """How many groups are not there because others have more explanations."""
    n = found.left_out.get(kind, 0)
    if not n:
        return ""
    one = KINDS[kind].lower()
    return f"{n} {one if n == 1 else f'{one}s'} with fewer explanations {'is' if n == 1 else 'are'} not shown."


def cautions(found: ExplanationsOfAspect, kind: str) -> tuple[str, ...]:
    if kind == "annotators" or found.annotators > 1:
        return ()
    return ("One annotator wrote all explanations: what sets them apart may be this annotator's way to write.",)


def _columns(kind: str) -> list[Column]:
    one = KINDS[kind]
    return [
        Column("group", one),
        Column("term", "Word or phrase"),
        Column("documents", "Explanations with it", "count"),
        Column("of", f"of this {one.lower()}", "count"),
        Column("others", "Others with it", "count"),
        Column("of_others", "of others", "count"),
        Column("log_odds", "Log-odds ratio", "value"),
        Column("z", "z", "value"),
        Column("p_holm", "Corrected p", "p"),
        *([Column("z_without_one", "Least z without one annotator", "value")] if kind != "annotators" else []),
        Column("wordings", "Different ones", "count"),
        Column("example", "For example"),
    ]


def _rows(group: GroupWords, names: Mapping[str, str], kind: str) -> list[Row]:
    return [
        {
            "group": names.get(group.name, group.name),
            "term": word.term,
            "documents": word.documents,
            "of": group.documents,
            "others": word.others,
            "of_others": group.others,
            "log_odds": word.log_odds,
            "z": word.z,
            "p_holm": word.p_holm,
            "z_without_one": word.z_without_one,
            "wordings": word.wordings,
            "example": word.example.text,
            "item": word.example.item,
        }
        for word in group.words
    ]


def themes_table(asked: TableRequest) -> FigureTable | None:
    """The themes with their words and how many explanations of each label are mostly about them."""
    found = explanations_of(asked)
    if found is None or not found.themes:
        return None
    names = names_of(asked, "labels")
    labels = {group.name: group.documents for group in found.groups["labels"]}
    rows = [
        {
            "theme": f"{place}. {', '.join(theme.words[:MOST_QUOTED])}",
            "words": ", ".join(theme.words),
            "documents": theme.documents,
            "share": theme.documents / found.explanations,
            "example": theme.quotations[0].text if theme.quotations else "",
            **{f"of_{label}": theme.by_label.get(label, 0) / n for label, n in labels.items() if n},
        }
        for place, theme in enumerate(found.themes, start=1)
    ]
    return FigureTable(
        name="themes",
        title="Themes",
        reading=themes_reading(found),
        columns=[
            Column("theme", "Theme"),
            Column("documents", "Explanations", "count"),
            Column("share", "Share", "share"),
            *(Column(f"of_{label}", f"of “{names.get(label, label)}”", "share") for label, n in labels.items() if n),
            Column("words", "Words"),
            Column("example", "For example"),
        ],
        rows=rows,
        charts={"themes": "How many of the explanations of each label are mostly about each theme."},
    )


def themes_reading(found: ExplanationsOfAspect) -> str:
    """How many themes there are, and of how many explanations."""
    without = found.explanations - sum(theme.documents for theme in found.themes)
    rest = f" {without:,} {'has' if without == 1 else 'have'} none of the words that themes are made of."
    return (
        f"{len(found.themes)} themes: words that come together in {found.explanations:,} explanations "
        f"({found.different:,} different ones), each counted with the theme that most of it belongs to."
        f"{rest if without else ''}"
    )


def stability_reading(found: ExplanationsOfAspect) -> str:
    """Why there are so many themes."""
    number_of = len(found.themes)
    if not number_of:
        return ""
    stability, by_chance = found.stability[number_of], found.of_shuffled[number_of]
    return (
        f"Of 2 to {max(found.stability)} themes, {number_of} come out again most clearly in halves of the "
        f"explanations: their first words are alike by {number(stability, 'value')} (1 is the same ones), "
        f"{number(by_chance, 'value')} where words come together by chance."
    )


TABLES = {
    **{f"words-{kind}": TableOf((EXPLANATIONS.key,), _words_table(kind)) for kind in KINDS},
    "themes": TableOf((EXPLANATIONS.key,), themes_table),
}
