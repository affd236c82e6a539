"""What decides the scores of LLM-MATE: what raters by aspect are told, the weights, and the baselines."""

from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import Field

from annotation_platform.scoring.methods.judge.parameters import JudgeParameters
from annotation_platform.scoring.methods.rev.parameters import models_folder
from annotation_platform.scoring.options import Ask
from annotation_platform.studies.models import Study


def systems_in(study: Study) -> dict[str, Any]:
    names = study.corpus.systems.order_by("name").values_list("name", flat=True)
    best = ("", "The answers that people rated best")
    return {"choices": (best, *((name, f"The answers of {name}") for name in names))}


def models_in(study: Study) -> dict[str, Any]:
    models = ((name, name) for name in installed_models())
    return {"choices": (("", "No model: leave them out"), *models)}


class MateParameters(JudgeParameters):
    """One score of several aspects, of which each is asked by itself."""

    settled = frozenset({"calling"})

    weights_from: Annotated[str, Ask(usual="this study's own closed judgments")] = Field(
        default="",
        title="Study that the weights are fitted on",
        description="The address (slug) of another study with the same aspects, of which you are researcher or admin; "
        "its closed judgments are used.",
    )
    reference: Annotated[str, Ask(usual="the one rated best", in_study=systems_in)] = Field(
        default="", title="System whose answers ROUGE compares with", description="BERTScore compares with them, too."
    )
    language_model: Annotated[str, Ask(usual="none: they are left out", in_study=models_in)] = Field(
        default="",
        title="Model of perplexity and BERTScore",
        description="One of the small models that are installed beside the platform (requirements-models.txt).",
    )
    held_out_seed: Annotated[int, Ask(is_rare=True)] = Field(
        default=0, ge=0, title="Seed of the questions held out", description="And of the intervals of the weights."
    )


def installed_models() -> list[str]:
    if find_spec("torch") is None:
        return []
    from annotation_platform.core.methods.rev.language_models import missing_extra
    from annotation_platform.core.methods.rev.weights import packaged

    return [] if missing_extra() else list(packaged(models_folder()))
