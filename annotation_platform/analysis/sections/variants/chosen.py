"""Which run, mixture and part of the corpus the address asks for."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.analysis.sections.variants.figures import (
    VARIANTS,
    DescribedVariant,
    MixtureFigures,
    PartOfCorpus,
    VariantFigures,
    VariantsOfAspect,
)
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.core.errors import NotThereError

RAW = "raw"  # labels as given, among the runs that are compared
WHOLE = "all"
AS_GIVEN = gettext_noop("Labels as given")


def variants_of(asked: TableRequest) -> VariantsOfAspect | None:
    """The comparison of runs on the aspect; None where it is not rescaled."""
    return asked.section(VARIANTS).aspects.get(asked.aspect)


def runs_of(asked: TableRequest) -> tuple[VariantFigures, ...]:
    """The runs that are compared on the aspect."""
    found = variants_of(asked)
    return found.variants if found else ()


def run_name(run: DescribedVariant) -> str:
    """A run in words, with its number, which tells apart two of one kind."""
    what = run.model or _(run.scorer)
    if run.shown:
        what = _("{model} ({shown})").format(model=what, shown=_(run.shown).lower())
    if run.mixture:
        return _("{model}, λ = {mixture:g}, run {run}").format(model=what, mixture=run.mixture, run=run.run)
    return _("{model}, run {run}").format(model=what, run=run.run)


def name_of(asked: TableRequest, key: str) -> str:
    return _(AS_GIVEN) if key == RAW else run_name(asked.section(VARIANTS).runs[key])


def chosen_variant(asked: TableRequest) -> VariantFigures | None:
    """The run that the address names, else the newest; None where there is none.

    Raises
    ------
    NotThereError
        When the address names one that is not compared.
    """
    key = asked.parameters.get("variant", "")
    found = next((each for each in runs_of(asked) if key in ("", each.key)), None)
    if found is None and key:
        raise NotThereError("analysis.no_run")
    return found


def sources_of(asked: TableRequest) -> list[str]:
    """The parts of the corpus that have figures of their own."""
    variants = runs_of(asked)
    return [part.source for part in variants[0].parts if part.source is not None] if variants else []


def part_of(asked: TableRequest, variant: VariantFigures) -> PartOfCorpus:
    """The figures of the part of the corpus that the address names, else of all of it."""
    wanted = asked.parameters.get("part", WHOLE)
    for part in variant.parts:
        if wanted == (part.source or WHOLE):
            return part
    raise NotThereError("analysis.no_part_of_corpus")


def own_mixture(variant: VariantFigures, part: PartOfCorpus) -> MixtureFigures:
    """The figures of a run at the λ that it was made with."""
    return min(part.mixtures, key=lambda each: abs(each.mixture - variant.mixture))


def compared(asked: TableRequest) -> tuple[str, str]:
    """The two that the address names; by default the labels as given and the newest run.

    Raises
    ------
    NotThereError
        When one of them is not compared, or both are the same.
    """
    keys = [RAW, *(each.key for each in runs_of(asked))]
    first = asked.parameters.get("first") or RAW
    second = asked.parameters.get("second") or next(key for key in keys if key not in (RAW, first))
    if not {first, second} <= set(keys) or first == second:
        raise NotThereError("analysis.choose_two_runs")
    return first, second
