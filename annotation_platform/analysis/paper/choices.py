"""For each table the choices that its page offers, so that a bundle has a figure of every one."""

from collections.abc import Iterator

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.annotators.figures import ANNOTATORS
from annotation_platform.analysis.sections.planning.own import own_design
from annotation_platform.analysis.sections.sentences.figures import SENTENCES
from annotation_platform.analysis.sections.variants.chosen import WHOLE, runs_of, sources_of
from annotation_platform.analysis.sections.variants.figures import VARIANTS
from annotation_platform.analysis.snapshots.stored import section_by_aspect, section_of_study
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import SETTINGS

MOST_ANNOTATORS = 30  # pages of single annotators; of larger studies the bundle has the tables of all alone

# For other annotators, too.
WITH_OTHERS = (
    *("means-system", "means-aspects", "differences", "labels-system"),
    *("strengths", "preference-effects", "wins"),
    *("powered", "powered-differences"),
    *("judge-leniency", "judge-place", "judge-length", "judge-family", "judge-language"),
)

# Of the study's own design, with what it costs.
OF_PLAN = ("plan", "plan-curve")

# Of each aspect that asks for sentences.
OF_CITED = ("cited-sizes", "cited-coverage", "cited-places")

Choice = tuple[str, dict[str, str]]  # what the file's name ends with, and what the address would say


def choices_of(snapshot: AgreementSnapshot, aspect: str, name: str) -> Iterator[Choice]:
    """Of a table; a single empty one where its page offers none."""
    if name in OF_PLAN:
        yield "", own_design(snapshot.study)
    elif name == "pairs":
        yield from ((f"-{setting.replace('_', '-')}", {"setting": setting}) for setting in SETTINGS)
    elif name in WITH_OTHERS:
        yield from [("", {}), ("-other-annotators", {"others": "annotators"})]
    elif tables.TABLES[name].of_one == "annotator":
        yield from _of_annotators(snapshot, aspect)
    elif name in OF_CITED:
        cited = section_of_study(snapshot, SENTENCES) or ()
        yield from ((f"-{place}" if place > 1 else "", {"cited": each.aspect}) for place, each in enumerate(cited, 1))
    elif name in ("variants", "mixtures", "classes", "own-order"):
        yield from _of_runs(snapshot, aspect, name)
    else:
        yield "", {}


def _of_annotators(snapshot: AgreementSnapshot, aspect: str) -> Iterator[Choice]:
    """Each annotator; files have numbers, because a pseudonym need not be a file's name."""
    judged = section_by_aspect(snapshot, ANNOTATORS).get(aspect)
    names = [each.name for each in judged.annotators] if judged else []
    if len(names) <= MOST_ANNOTATORS:
        yield from ((f"-{place}", {"annotator": name}) for place, name in enumerate(names, start=1))


def _of_runs(snapshot: AgreementSnapshot, aspect: str, name: str) -> Iterator[Choice]:
    """Every part of the corpus, every run, or both."""
    asked = tables.ask(snapshot, aspect, [name])
    if not asked.has(VARIANTS):
        return
    parts = [WHOLE, *sources_of(asked)] if name in ("variants", "mixtures") else [WHOLE]
    runs = [each.key for each in runs_of(asked)] if name != "variants" else [""]
    for run in runs:
        for place, part in enumerate(parts):
            suffix = (f"-run-{run}" if run else "") + (f"-part-{place}" if place else "")
            yield suffix, {"variant": run, "part": part}
