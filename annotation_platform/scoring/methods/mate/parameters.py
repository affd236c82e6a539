"""What decides the scores of LLM-MATE: what raters by aspect are told, the weights, and the baselines."""

from importlib.util import find_spec
from typing import Annotated, Any

from django.utils.translation import gettext
from pydantic import Field

from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoring.methods.judge.parameters import JudgeParameters
from annotation_platform.scoring.methods.rev.parameters import models_folder
from annotation_platform.scoring.options import Ask
from annotation_platform.studies.models import Study


def systems_in(study: Study) -> dict[str, Any]:
    names = study.corpus.systems.order_by("name").values_list("name", flat=True)
    best = ("", gettext("The answers that people rated best"))
    of_one = gettext("The answers of %(system)s")
    return {"choices": (best, *((name, of_one % {"system": name}) for name in names))}


def models_in(study: Study) -> dict[str, Any]:
    models = ((name, name) for name in installed_models())
    return {"choices": (("", gettext("No model: leave them out")), *models)}


class MateParameters(JudgeParameters):
    """One score of several aspects, of which each is asked by itself."""

    settled = frozenset({"calling"})

    weights_from: Annotated[str, Ask(usual=_("this study's own closed judgments"))] = Field(
        default="",
        title=_("Study that the weights are fitted on"),
        description=_(
            "The address (slug) of another study with the same aspects, of which you are researcher or admin; "
            "its closed judgments are used."
        ),
    )
    reference: Annotated[str, Ask(usual=_("the one rated best"), in_study=systems_in)] = Field(
        default="",
        title=_("System whose answers ROUGE compares with"),
        description=_("BERTScore compares with them, too."),
    )
    language_model: Annotated[str, Ask(usual=_("none: they are left out"), in_study=models_in)] = Field(
        default="",
        title=_("Model of perplexity and BERTScore"),
        description=_("One of the small models that are installed beside the platform (requirements-models.txt)."),
    )
    held_out_seed: Annotated[int, Ask(is_rare=True)] = Field(
        default=0,
        ge=0,
        title=_("Seed of the questions held out"),
        description=_("And of the intervals of the weights."),
    )


def installed_models() -> list[str]:
    if find_spec("torch") is None:
        return []
    from annotation_platform.core.methods.rev.language_models import missing_extra
    from annotation_platform.core.methods.rev.weights import packaged

    return [] if missing_extra() else list(packaged(models_folder()))
