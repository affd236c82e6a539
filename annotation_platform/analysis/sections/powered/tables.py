"""People's judgments of a part and a model's of all, at once: means of systems and their differences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation_platform.analysis.measuring.certainty import is_certain, unit_called
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.powered.figures import (
    POWERED,
    PoweredDifference,
    PoweredMean,
    PoweredRun,
)
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    in_a_row,
    number_kind,
    sided,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest

COMPOSITE = "score of several aspects"


@dataclass(frozen=True)
class Words:
    """Who judged a part, and who judged all."""

    few: str
    few_alone: str
    many: str
    both: str
    judged: str
    few_judgments: str
    did: str = "judged"

    @property
    def holds(self) -> str:
        """What it always rests on."""
        return (
            f"What is said of all answers holds only where the answers that {self.few} {self.did} are a part drawn at "
            f"random from all; {self.few_judgments} correct what {self.many} gets wrong."
        )


JUDGE = Words(
    few="people",
    few_alone="People alone",
    many="the judge",
    both="People and judge",
    judged="Judged by people",
    few_judgments="people's judgments",
)
RESCALER = Words(
    few="the language model",
    few_alone="Language model alone",
    many="the distilled rescaler",
    both="Both at once",
    judged="Scored by the language model",
    few_judgments="the language model's scores",
    did="scored",
)
CLASSIFIER = Words(
    few="people",
    few_alone="People alone",
    many="the classifier",
    both="People and classifier",
    judged="Judged by people",
    few_judgments="people's verdicts",
)


def judges_of(asked: TableRequest) -> tuple[PoweredRun, ...]:
    """The judges of the aspect that is shown."""
    return asked.section(POWERED).judges.get(asked.aspect, ())


def means_table(asked: TableRequest) -> FigureTable | None:
    """By system: people alone, and with each judge."""
    runs = judges_of(asked)
    return means_of(
        runs,
        JUDGE,
        name="powered",
        title="What people would say of all answers",
        kind=kind_of(asked.head),
        of=f" on “{asked.head.title}”",
    )


def differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems by question: people alone, and with each judge."""
    runs = judges_of(asked)
    return differences_of(
        *_by_judge(runs),
        JUDGE,
        name="powered-differences",
        title="Differences of systems over all answers",
        kind=kind_of(asked.head),
    )


def scores_table(asked: TableRequest) -> FigureTable | None:
    """By system: the language model alone, and with the distilled rescaler."""
    return means_of(
        _scores_of(asked),
        RESCALER,
        name="powered-scores",
        title="What the language model would score all answers",
        kind="score",
        of=f" on “{asked.head.title}”",
    )


def score_differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems by question: the language model alone, and with the distilled rescaler."""
    return differences_of(
        *_by_judge(_scores_of(asked)),
        RESCALER,
        name="powered-scores-differences",
        title="Differences of systems by these scores",
        kind="score",
    )


def _scores_of(asked: TableRequest) -> tuple[PoweredRun, ...]:
    found = asked.section(POWERED).scores.get(asked.aspect)
    return () if found is None else (found,)


def kind_of(head: AspectHead) -> str:
    """Means of yes and no are shares."""
    numbers = {label.number for label in head.labels if label.number is not None}
    return "share" if numbers == {0, 1} else number_kind(head)


def means_of(
    runs: tuple[PoweredRun, ...], words: Words, *, name: str, title: str, kind: str, of: str = ""
) -> FigureTable | None:
    """None without runs; without rows where the sentence says all that there is."""
    if not runs:
        return None
    named = dict(zip(names_of(runs), runs, strict=True))
    rows = [_mean_row(judge, each) for judge, run in named.items() for each in run.means if each.answers]
    several = len(runs) > 1
    units = in_a_row(sorted({run.unit for run in runs if run.means}))
    return FigureTable(
        name=name,
        title=title,
        unit=unit_called(units),
        reading=means_reading(rows, _why_nothing(named), words, of, sum(run.unread for run in runs)),
        columns=[
            *([Column("judge", "Judge")] if several else []),
            Column("system", "System"),
            Column("judged", words.judged, "count"),
            Column("others", "Other answers", "count"),
            Column("people", words.few_alone, kind, True),
            Column("both", words.both, kind, True),
            Column("effective", "Worth so many judged (effective n)", "count"),
            *remark_column(rows),
        ],
        rows=rows,
        charts={
            name: f"Mean over all answers, with 95\u00a0% intervals by {units}: from the answers that {words.few} "
            f"{words.did} alone{and_both(rows, f', and with what {words.many} says of all')}."
        }
        if any(row["people"] is not None for row in rows)
        else {},
        meta={"kind": kind, "sides": sides_of(rows, words.few_alone, words.both)},
    )


def differences_of(
    found: Mapping[str, Sequence[PoweredDifference]], units: str, words: Words, *, name: str, title: str, kind: str
) -> FigureTable | None:
    """By judge; None where no two systems were compared."""
    rows = [_difference_row(judge, each) for judge, own in found.items() for each in own]
    if not rows:
        return None
    return FigureTable(
        name=name,
        title=title,
        unit=unit_called(units),
        reading=differences_reading(rows, words),
        columns=[
            *([Column("judge", "Judge")] if len(found) > 1 else []),
            Column("pair", "From → to"),
            Column("judged", f"{words.judged}, both", "count"),
            Column("questions", "Questions", "count"),
            Column("people", words.few_alone, kind, True),
            Column("people_p_holm", "p (Holm), alone", "p"),
            Column("both", words.both, kind, True),
            Column("p_value", "p, both", "p"),
            Column("p_holm", "p (Holm), both", "p"),
            Column("effective", "Worth so many judged (effective n)", "count"),
            *remark_column(rows),
        ],
        rows=rows,
        charts={
            name: "Mean of the second minus that of the first over the questions that both answered, with "
            f"95\u00a0% intervals by {units}; a line across zero may be chance."
        }
        if any(row["people"] is not None for row in rows)
        else {},
        meta={"kind": kind, "sides": sides_of(rows, words.few_alone, words.both)},
    )


def _by_judge(runs: tuple[PoweredRun, ...]) -> tuple[dict[str, tuple[PoweredDifference, ...]], str]:
    """The differences of each run, and by what their intervals are."""
    found = {name: run.differences for name, run in zip(names_of(runs), runs, strict=True)}
    return found, in_a_row(sorted({run.unit for run in runs if run.differences}))


def names_of(runs: Iterable[PoweredRun]) -> list[str]:
    """Each run in words, with its number where two would be called the same."""
    told = [(run.run.run, _name(run)) for run in runs]
    names = [name for _, name in told]
    return [f"{name}, run {number}" if names.count(name) > 1 else name for number, name in told]


def _name(run: PoweredRun) -> str:
    name = run.run.model or run.run.method
    return f"{name} ({COMPOSITE})" if run.score else name


def _why_nothing(named: dict[str, PoweredRun]) -> list[str]:
    """Of the runs that have no figures, each with its name where there are others."""
    found = {name: run.why_nothing for name, run in named.items() if run.why_nothing}
    return [f"{name}: {why}" if len(named) > 1 else why for name, why in found.items()]


def _mean_row(judge: str, each: PoweredMean) -> Row:
    return (
        {"judge": judge, "system": each.system, "answers": each.answers}
        | {"judged": each.people.items, "others": each.answers - each.people.items}
        | sided("people", each.people)
        | sided("both", each.both)
        | {"effective": each.effective and round(each.effective), "is_off": bool(each.no_model_because)}
        | _why(each.no_model_because or each.people.undefined_because)
    )


def _difference_row(judge: str, each: PoweredDifference) -> Row:
    return (
        {"judge": judge, "pair": " → ".join(each.systems), "judged": each.people.items, "questions": each.questions}
        | sided("people", each.people)
        | sided("both", each)
        | {"p_value": each.p_value, "p_holm": each.p_holm, "people_p_holm": each.people.p_holm}
        | {"effective": each.effective and round(each.effective), "is_off": bool(each.no_model_because)}
        | {"is_certain": is_certain(each), "is_certain_alone": is_certain(each.people)}
        | _why(each.undefined_because or each.no_model_because)
    )


def _why(remark: str | None) -> Row:
    """Why the model is not reckoned with, also for a CSV file without the column of remarks."""
    return {"remark": remark or "", "effective_why": remark or ""}


def remark_column(rows: list[Row]) -> list[Column]:
    """None where one remark holds for all: the sentence above says it."""
    told = {row["remark"] for row in rows}
    return [] if len(rows) > 1 and len(told) == 1 else [Column("remark", "Remark")]


def sides_of(rows: list[Row], alone: str, both: str) -> dict[str, str]:
    """What a chart draws of each row: people alone only, where the model is nowhere reckoned with."""
    is_off = bool(rows) and all(row["is_off"] for row in rows)
    return {"people": alone} if is_off else {"people": alone, "both": both}


def and_both(rows: list[Row], text: str) -> str:
    """What a caption says of the second series, where there is one."""
    return "" if rows and all(row["is_off"] for row in rows) else text


def means_reading(rows: list[Row], why_nothing: list[str], words: Words, of: str = "", unread: int = 0) -> str:
    """How much the model adds and to how many systems; why it does not; and always on what that rests."""
    said = [*why_nothing, *_gained(rows, words, of)] if rows else why_nothing or [f"Nothing is known{of}."]
    if not rows:
        return " ".join(said)
    if unread:
        answers = "answer" if unread == 1 else "answers"
        said.append(f"{words.many.capitalize()} gave no number for {unread:,} {answers}; that moves nothing.")
    return " ".join([*said, words.holds])


def _gained(rows: list[Row], words: Words, of: str) -> list[str]:
    helped = [row for row in rows if row["effective"]]
    off = list(dict.fromkeys(row["remark"] for row in rows if row["remark"]))
    if not helped:
        reasons = " ".join(off) or f"What {words.many} says does not go with {words.few_judgments}."
        return [f"Here {words.many} adds nothing to {words.few_judgments}{of}. {reasons}"]
    several = len({row["judge"] for row in rows}) > 1
    most = max(helped, key=lambda row: row["effective"] / row["judged"])
    times = number_range([row["effective"] / row["judged"] for row in helped])
    what = "pairs of judge and system" if several else "systems"
    of_rows = "" if len(helped) == len(rows) else f" for {len(helped)} of {len(rows)} {what}"
    beside = f" (with {most['judge']})" if several else ""
    example = f"the {most['judged']:,} of {most['system']}{beside} say as much as {most['effective']:,} alone would"
    found = [
        f"What {words.many} says of all answers{of} makes {words.few_judgments} worth {times} times as many{of_rows}: "
        f"{example}."
    ]
    return [*found, f"For the others: {' '.join(off)}"] if off else found


def number_range(values: list[float]) -> str:
    low, high = (f"{each:.1f}" for each in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def differences_reading(rows: list[Row], words: Words) -> str:
    """How many pairs differ significantly by people alone, and how many with the model."""
    defined = [row for row in rows if row["people"] is not None]
    if not defined:
        return f"No difference can be estimated. {rows[0]['remark']}"
    alone, both = (sum(row[key] for row in defined) for key in ("is_certain_alone", "is_certain"))
    what = "comparisons of two systems" if len({row["judge"] for row in rows}) > 1 else "pairs of systems"
    counts = f"{alone} of {len(rows)} {what} differ significantly by {words.few} alone and {both} with {words.many}"
    if len(rows) == 1:
        yes = {True: "differ significantly", False: "do not differ significantly"}
        counts = f"The two systems {yes[bool(alone)]} by {words.few} alone, and {yes[bool(both)]} with {words.many}"
    helped = [row["effective"] / row["judged"] for row in defined if row["effective"]]
    worth = f" Worth {number_range(helped)} times as many judged questions." if helped else ""
    if not helped:
        off = list(dict.fromkeys(row["remark"] for row in defined if row["remark"]))
        worth = f" {' '.join(off)}" if off else ""
    how = "p below 0.05 after Holm's correction, and an interval without 0"
    return f"{counts} ({how}).{worth} {words.holds}"


Build = Callable[[TableRequest], FigureTable | None]
_BUILD: dict[str, Build] = {
    "powered": means_table,
    "powered-differences": differences_table,
    "powered-scores": scores_table,
    "powered-scores-differences": score_differences_table,
}
TABLES = {name: TableOf((POWERED.key,), build) for name, build in _BUILD.items()}
