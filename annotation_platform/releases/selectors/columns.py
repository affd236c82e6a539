"""The columns of an export, from the study's scheme and its scoring runs: one definition for every format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from django.utils.translation import pgettext_lazy

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import (
    Aspect,
    BestOfAspect,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
)
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CANNOT_JUDGE_REASON, FORCED, TIE
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.selectors.dialects import Dialect
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Draw, SchemeVersion, Study


class Kind(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    TIME = "time"  # ISO 8601 in UTC with microseconds
    NUMBERS = "list of integers"  # "3 5 6 7" in CSV
    WORDS = "list of words"  # "a c" or "3 R2:5" in CSV: words have no spaces

    @property
    def label(self) -> str:
        """As a page calls it."""
        return str(KINDS[self])


KINDS = {
    Kind.TEXT: pgettext_lazy("kind of column", "text"),
    Kind.INTEGER: pgettext_lazy("kind of column", "integer"),
    Kind.NUMBER: pgettext_lazy("kind of column", "number"),
    Kind.TIME: pgettext_lazy("kind of column", "time"),
    Kind.NUMBERS: pgettext_lazy("kind of column", "list of integers"),
    Kind.WORDS: pgettext_lazy("kind of column", "list of words"),
}


@dataclass(frozen=True)
class Column:
    """A column's name, its kind, and the SQL expression (with its parameters) that gives it.

    ``aspect``: the key of the aspect whose answers it has, which may be called otherwise; empty for other columns.
    """

    name: str
    kind: Kind
    sql: str
    parameters: tuple[Any, ...] = ()
    aspect: str = ""


@dataclass(frozen=True)
class ScoreJoin:
    """The scores that one run gave to one aspect; ``alias`` names their rows in the query."""

    alias: str
    aspect: str
    run: ScoringRun


_DONE = CompiledQuery(
    lambda study: ScoringRun.objects.filter(study=study, status=JobStatus.DONE).order_by("method", "scorer", "-pk")
)
_DRAWN = CompiledQuery(lambda study: Draw.objects.filter(batch__study=study).order_by().values_list("pk")[:1])
_VERSIONS = CompiledQuery(lambda key: SchemeVersion.objects.filter(key=key).order_by("pk").values_list("pk", "number"))


def score_joins(study: Study, among: Sequence[int] | None = None) -> list[ScoreJoin]:
    """The scores to export: of every rescaled aspect, by the newest finished run of each method and scorer.

    ``among``: keys of the runs that are asked, where it is not all.
    """
    newest: dict[tuple[str, str], ScoringRun] = {}
    for run in _DONE.instances(study.pk, study=study):
        if among is None or run.pk in among:
            newest.setdefault((run.method, run.scorer), run)
    pairs = [(rescaling.aspect, run) for rescaling in study.scheme().rescale for run in newest.values()]
    return [ScoreJoin(f"score_{number}", aspect, run) for number, (aspect, run) in enumerate(pairs, start=1)]


def candidate_columns(study: Study, dialect: Dialect) -> list[Column]:
    """What is the same in every judgment of a candidate: where it is in the study, and what was judged.

    Choices, reference answers, names of reference documents and the explanation of an answer have columns where the
    scheme shows them, turns where some of the corpus are conversations, metrics where answers came with some, and the
    probability of a task where tasks were drawn.
    """
    shown = study.scheme().parts
    is_drawn = bool(_DRAWN.rows(study.pk))
    optional = {
        "choices": Column("choices", Kind.TEXT, dialect.lines.format("question.choices")),
        "reference_answers": Column("reference_answers", Kind.TEXT, dialect.lines.format("question.reference_answers")),
        "documents": Column("documents", Kind.TEXT, dialect.documents),
        "rationale": Column("rationale", Kind.TEXT, "NULLIF(answer.rationale, '')"),
        "candidates": Column("candidate", Kind.INTEGER, "candidate.number"),
    }
    turns = [
        Column(f"{table}_turns", Kind.TEXT, dialect.json.format(f"{table}.turns")) for table in ("question", "answer")
    ]
    return [
        Column("study", Kind.TEXT, "%s", (study.name,)),
        Column("scheme", Kind.TEXT, "%s", (study.scheme_version.key,)),
        Column("batch", Kind.INTEGER, "batch.number"),
        *([Column("draw_probability", Kind.NUMBER, "hit.probability")] if is_drawn else []),
        Column("article_id", Kind.TEXT, "article.external_id"),
        Column("article_title", Kind.TEXT, "NULLIF(article.title, '')"),
        Column("question_id", Kind.TEXT, "question.external_id"),
        Column("question", Kind.TEXT, "question.text"),
        Column("anchor", Kind.INTEGER, "question.anchor"),
        Column("system", Kind.TEXT, "system.name"),
        Column("item_id", Kind.INTEGER, "item.id"),
        Column("answer", Kind.TEXT, "answer.text"),
        *(turns if study.corpus.has_turns else []),
        *([Column("metrics", Kind.TEXT, dialect.json.format("answer.metrics"))] if study.corpus.has_metrics else []),
        *(column for part, column in optional.items() if part in shown),
    ]


def judgment_columns(
    study: Study,
    joins: Sequence[ScoreJoin],
    dialect: Dialect,
    *,
    taken: Sequence[Column],
    all_revisions: bool = False,
) -> list[Column]:
    """What a judgment says and its scores. Names are distinct: one that is taken is prefixed with ``aspect_``.

    With ``all_revisions`` also what the aspects of earlier versions of the scheme were told, and which revision counts.
    """
    opening = [
        Column("annotator", Kind.TEXT, "member.pseudonym"),
        Column("replicate", Kind.INTEGER, "place.replicate"),
    ]
    closing = [
        Column("seconds", Kind.NUMBER, "annotation.seconds"),
        Column("revision", Kind.INTEGER, "annotation.revision"),
        Column("created_at", Kind.TIME, dialect.time.format("annotation.created_at")),
        _version_column(study),
        Column("annotation_id", Kind.INTEGER, "annotation.id"),
        Column(
            "under_earlier_rule",
            Kind.WORDS,
            dialect.items.format(dialect.json.format("annotation.under_earlier_rule")),
        ),
    ]
    if all_revisions:
        closing.append(Column("is_current", Kind.INTEGER, "CASE WHEN annotation.is_current THEN 1 ELSE 0 END"))
    scheme = study.scheme()
    if scheme.judges_candidates:
        presented = dialect.items.format(dialect.json.format("annotation.presented"))
        opening.append(Column("presented", Kind.NUMBERS, presented))
    asked = _asked_ever(study, dialect) if all_revisions else _asked(scheme, dialect)
    scored = [column for join in joins for column in _score_columns(join)]
    names = {column.name for column in [*taken, *opening, *closing]}
    return [*opening, *_distinct([*asked, *scored], taken=names), *closing]


def _version_column(study: Study) -> Column:
    """The version of the scheme that a judgment was made, or migrated, under."""
    versions = _VERSIONS.rows(study.scheme_version.key)
    cases = " ".join(["WHEN %s THEN %s"] * len(versions))
    parameters = tuple(part for version in versions for part in version)
    return Column("scheme_version", Kind.INTEGER, f"CASE annotation.scheme_version_id {cases} END", parameters)


def _asked(scheme: Scheme, dialect: Dialect) -> list[Column]:
    asked = [
        replace(column, aspect=aspect.key) if column.name == aspect.key else column
        for aspect in scheme.aspects
        for column in _aspect_columns(scheme, aspect, dialect)
    ]
    if scheme.cannot_judge:
        mark, reason = (dialect.value.format(key=f"'{key}'") for key in (CANNOT_JUDGE, CANNOT_JUDGE_REASON))
        asked.append(Column(CANNOT_JUDGE, Kind.INTEGER, f"CASE WHEN {mark} IS NOT NULL THEN 1 ELSE 0 END"))
        asked.append(Column(f"{CANNOT_JUDGE}_reason", Kind.TEXT, reason))
    return asked


def _asked_ever(study: Study, dialect: Dialect) -> list[Column]:
    """The columns of every version of the scheme that the study was judged under, the present one's first.

    Versions that read a column alike share it. Where an earlier one reads it otherwise (another kind, other numbers),
    it has one of its own, named after the version.
    """
    used = Annotation.objects.filter(item__study=study).values("scheme_version")
    earlier = SchemeVersion.objects.filter(pk__in=used).exclude(pk=study.scheme_version_id).order_by("-pk")
    versions = [study.scheme_version, *earlier]
    found: dict[str, tuple[Column, list[SchemeVersion]]] = {}
    for version in versions:
        for column in _asked(version.scheme(), dialect):
            if column.name in found and found[column.name][0] != column:
                column = replace(column, name=f"{column.name}_v{version.number}")
            found.setdefault(column.name, (column, []))[1].append(version)
    return [
        column if len(readers) == len(versions) else _only_under(readers, column) for column, readers in found.values()
    ]


def _only_under(versions: Sequence[SchemeVersion], column: Column) -> Column:
    """A column that is missing in judgments under other versions, whose values it could not read."""
    among = ", ".join(["%s"] * len(versions))
    sql = f"CASE WHEN annotation.scheme_version_id IN ({among}) THEN {column.sql} END"
    return replace(column, sql=sql, parameters=(*(version.pk for version in versions), *column.parameters))


def cites_numbers(scheme: Scheme, aspect: SentencesAspect) -> bool:
    """Whether all that an aspect can cite are sentences of the one document, which are numbers."""
    return aspect.cites == ("documents",) and "documents" not in scheme.parts


def _aspect_columns(scheme: Scheme, aspect: Aspect, dialect: Dialect) -> Iterator[Column]:
    """An aspect of candidates is read at the row's own candidate; the best of them is a 1 in its own row."""
    key = f"('{aspect.key}.' || candidate.number)" if aspect.per == "candidate" else f"'{aspect.key}'"
    value = dialect.value.format(key=key)
    if isinstance(aspect, SentencesAspect | SeveralAspect):
        has_numbers = isinstance(aspect, SentencesAspect) and cites_numbers(scheme, aspect)
        yield Column(aspect.key, Kind.NUMBERS if has_numbers else Kind.WORDS, dialect.items.format(value))
        yield Column(f"{aspect.key}_count", Kind.INTEGER, dialect.count.format(key=key))
        return
    if isinstance(aspect, SpansAspect):
        yield Column(aspect.key, Kind.TEXT, dialect.spans.format(key=key))
        yield Column(f"{aspect.key}_count", Kind.INTEGER, dialect.count.format(key=key))
        return
    if isinstance(aspect, BestOfAspect):
        is_this = f"CASE WHEN {value} = CAST(candidate.number AS text) THEN 1 WHEN {value} IS NOT NULL THEN 0 END"
        yield Column(aspect.key, Kind.INTEGER, is_this)
        if aspect.tie_label:
            is_tie = f"CASE WHEN {value} = '{TIE}' THEN 1 WHEN {value} IS NOT NULL THEN 0 END"
            yield Column(f"{aspect.key}_{TIE}", Kind.INTEGER, is_tie)
        if aspect.forced_label:
            mark = dialect.value.format(key=f"'{aspect.key}.{FORCED}'")
            is_forced = f"CASE WHEN {mark} IS NOT NULL THEN 1 WHEN {value} IS NOT NULL THEN 0 END"
            yield Column(f"{aspect.key}_{FORCED}", Kind.INTEGER, is_forced)
        return
    yield Column(aspect.key, Kind.TEXT, value)
    if isinstance(aspect, RatedAspect):
        numbered = [choice for choice in aspect.scale.choices if choice.number is not None]
        # Each number is cast on its own, which is done once and not for every row.
        cases = " ".join([f"WHEN %s THEN {dialect.number.format('%s')}"] * len(numbered))
        number = f"CASE {value} {cases} END" if numbered else dialect.number.format("NULL")
        parameters = [part for choice in numbered for part in (choice.key, choice.number)]
        yield Column(f"{aspect.key}_number", Kind.NUMBER, number, tuple(parameters))


def _score_columns(join: ScoreJoin) -> Iterator[Column]:
    name, alias = f"{join.aspect}_{join.run.scorer}", join.alias
    yield Column(f"{name}_score", Kind.NUMBER, f"{alias}.value")
    yield Column(f"{name}_source", Kind.TEXT, f"{alias}.source")
    yield Column(f"{name}_explanation_score", Kind.NUMBER, f"{alias}.explanation_score")
    yield Column(f"{name}_run", Kind.INTEGER, f"{alias}.run_id")


def _distinct(columns: Iterable[Column], *, taken: set[str]) -> Iterator[Column]:
    for column in columns:
        name = column.name
        while name in taken:
            name = f"aspect_{name}"
        taken.add(name)
        yield replace(column, name=name)
