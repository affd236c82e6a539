"""All figures of a snapshot as plain data: what ``report_study --json`` prints, and what a release keeps."""

from typing import Any

from annotation_platform.analysis.measuring.certainty import with_cautions
from annotation_platform.analysis.measuring.figures import SectionFigures
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM
from annotation_platform.analysis.sections.judges.figures import JUDGES


def report(snapshot: AgreementSnapshot, epsilon: float | None = None) -> dict[str, Any]:
    """The figures with where they come from, and at an ε beside those that are stored."""
    figures = {key: value for key, value in snapshot.figures.items() if key != "headline"}
    if epsilon is not None:
        sections: tuple[SectionFigures[Any], ...] = (HUMAN_LLM, JUDGES)
        figures |= {
            section.key: section.to_stored(section.from_stored(figures[section.key]).at(epsilon))
            for section in sections
            if section.key in figures
        }
    return {
        "study": snapshot.study.name,
        "signature": snapshot.signature,
        "data_signature": snapshot.data_signature,
        "code_version": snapshot.code_version,
        "computed_at": snapshot.created_at.isoformat(),
        **with_cautions(figures),
    }
