"""Which run, mixture and part of the corpus the address asks for."""

from annotation_platform.analysis.tables.base import Row
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.errors import NotThereError

RAW = "raw"  # labels as given, among the runs that are compared
WHOLE = "all"
AS_GIVEN = "Labels as given"


def variants_of(asked: TableRequest) -> Row:
    """The comparison of runs on the aspect, an empty one where nothing was rescaled."""
    nothing: Row = {"variants": [], "comparisons": [], "labels": []}
    found: Row = asked.figures["variants"]["aspects"].get(asked.figures["aspect"], nothing)
    return found


def run_name(run: Row) -> str:
    """A run in words, with its number, which tells apart two of one kind."""
    what = " ".join(filter(None, [run["model"] or run["scorer"], f"({run['shown'].lower()})" if run["shown"] else ""]))
    mixture = f", λ = {run['lambda']:g}" if run["lambda"] else ""
    return f"{what}{mixture}, run {run['run']}"


def name_of(asked: TableRequest, key: str) -> str:
    return AS_GIVEN if key == RAW else run_name(asked.figures["variants"]["runs"][key])


def chosen_variant(asked: TableRequest) -> Row | None:
    """The run that the address names, else the newest; None where there is none.

    Raises
    ------
    NotThereError
        When the address names one that is not compared.
    """
    variants = variants_of(asked)["variants"]
    key = asked.parameters.get("variant", "")
    found: Row | None = next((each for each in variants if key in ("", each["key"])), None)
    if found is None and key:
        raise NotThereError("analysis.no_run")
    return found


def sources_of(asked: TableRequest) -> list[str]:
    """The parts of the corpus that have figures of their own."""
    variants = variants_of(asked)["variants"]
    return [part["source"] for part in variants[0]["parts"][1:]] if variants else []


def part_of(asked: TableRequest, variant: Row) -> Row:
    """The figures of the part of the corpus that the address names, else of all of it."""
    wanted = asked.parameters.get("part", WHOLE)
    for part in variant["parts"]:
        if wanted == (part["source"] or WHOLE):
            found: Row = part
            return found
    raise NotThereError("analysis.no_part_of_corpus")


def own_mixture(variant: Row, part: Row) -> Row:
    """The figures of a run at the λ that it was made with."""
    found: Row = min(part["mixtures"], key=lambda row: abs(row["lambda"] - variant["lambda"]))
    return found


def compared(asked: TableRequest) -> tuple[str, str]:
    """The two that the address names; by default the labels as given and the newest run.

    Raises
    ------
    NotThereError
        When one of them is not compared, or both are the same.
    """
    keys = [RAW, *(each["key"] for each in variants_of(asked)["variants"])]
    first = asked.parameters.get("first") or RAW
    second = asked.parameters.get("second") or next(key for key in keys if key not in (RAW, first))
    if not {first, second} <= set(keys) or first == second:
        raise NotThereError("analysis.choose_two_runs")
    return first, second
