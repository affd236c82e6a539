"""What of a study can be stored, but is perhaps not meant.

Questions that nobody judged together, because each row or task was taken for one of its own; columns without a value.
"""

from collections.abc import Iterator

from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.staged import ImportedStudy
from annotation_platform.corpus.importers.study import NO_DOCUMENT


def lone_questions(column: str = "") -> Reason:
    """The same question under several names, each with one judge."""
    named = Reason("words.quoted", words=column) if column else Reason("corpus.column_of_names")
    return Reason("corpus.lone_questions", column=named)


def warnings_of(study: ImportedStudy) -> list[Reason]:
    """What of a study that was read can be stored, but is perhaps not meant."""
    return [*study.header.warnings, *_about_judges(study), *_about_blank_columns(study), *_about_an_export(study)]


def _about_blank_columns(study: ImportedStudy) -> Iterator[Reason]:
    if blank := [study.scheme.aspect(key).title for key in sorted(study.blank_aspects)]:
        titles = [Reason("words.quoted", words=title) for title in blank]
        yield Reason("corpus.aspects_blank", titles=titles, count=len(blank))


def _about_an_export(study: ImportedStudy) -> Iterator[Reason]:
    """What an export could not bring back."""
    if not study.header.is_export:
        return
    for key, count in sorted(study.lacking.items()):
        title = Reason("words.quoted", words=study.scheme.aspect(key).title)
        yield Reason("corpus.aspect_lacking", title=title, count=count)
    if {"article", "documents"} & study.scheme.parts.keys():
        withheld = study.one("SELECT COUNT(*) FROM article WHERE sentence_count = 0 AND name != ?", NO_DOCUMENT)
        if withheld:
            yield Reason("corpus.export_without_texts", count=withheld)


def _about_judges(study: ImportedStudy) -> list[Reason]:
    most = study.one(
        "SELECT MAX(judges) FROM (SELECT COUNT(DISTINCT annotator) AS judges FROM judgment GROUP BY question)"
    )
    if most != 1 or study.counts.annotators < 2:
        return []
    if study.one("SELECT COUNT(*) > COUNT(DISTINCT article || ' ' || text) FROM question"):
        return [lone_questions()]
    return [Reason("corpus.single_judges")]
