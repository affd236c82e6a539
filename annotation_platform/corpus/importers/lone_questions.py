"""A warning about questions that nobody judged together, because each row or task was taken for one of its own."""

from annotation_platform.corpus.importers.staged import ImportedStudy


def lone_questions(column: str = "") -> str:
    """The same question under several names, each with one judge."""
    named = f"“{column}”" if column else "the column of the questions' names"
    return (
        f"The same question stands under several names, and each has a single judge: {named} seems to number tasks, "
        "not questions, so no two people would have judged the same. Leave it out, and questions are told apart by "
        "their text"
    )


def warnings_of(study: ImportedStudy) -> list[str]:
    """What of a study that was read can be stored, but is perhaps not meant."""
    most = study.one(
        "SELECT MAX(judges) FROM (SELECT COUNT(DISTINCT annotator) AS judges FROM judgment GROUP BY question)"
    )
    if most != 1 or study.counts.annotators < 2:
        return []
    if study.one("SELECT COUNT(*) > COUNT(DISTINCT article || ' ' || text) FROM question"):
        return [lone_questions()]
    return ["Every question has a single judge, so there is no agreement to measure"]
