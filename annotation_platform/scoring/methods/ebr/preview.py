"""The requests of a rescaling run, without asking them: for people to look at, and for a dry run."""

from collections.abc import Iterator

from django.utils.translation import gettext

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.replies import SCORE_SCHEMA
from annotation_platform.core.schemes import RatedAspect
from annotation_platform.scoring.methods.contract import PromptPreview
from annotation_platform.scoring.methods.ebr.parameters import ModelParameters
from annotation_platform.scoring.methods.ebr.scorers import Explained, Prompts
from annotation_platform.studies.models import Study


def asked_of(study: Study, parameters: ModelParameters, item_id: int | None) -> Iterator[PromptPreview]:
    """Judgment by judgment and aspect by aspect, as far as there is an explanation."""
    scheme = study.scheme()
    judgments = Annotation.objects.closed().filter(item__hit__batch__study=study).order_by("item_id", "pk")
    if item_id is not None:
        judgments = judgments.filter(item=item_id)
    for rescaling in scheme.rescale:
        aspect = scheme.aspect(rescaling.aspect)
        assert isinstance(aspect, RatedAspect)  # the scheme was checked
        labels = {choice.key: position for position, choice in enumerate(aspect.scale.choices)}
        prompts = Prompts(parameters.template, aspect, cites_turns=scheme.cites_conversation)
        rows = iter(judgments.values_list("pk", "item_id", "values", "annotator__pseudonym"))
        for number, (pk, item, values, pseudonym) in enumerate(rows):
            choice, explanation = values.get(aspect.key), values.get(rescaling.explained_by) or ""
            if choice is None or not explanation.strip():
                continue
            (written,) = prompts.write([Explained(number, pk, item, labels[choice], explanation)])
            about = gettext("%(title)s — the judgment of %(who)s") % {"title": aspect.title, "who": pseudonym}
            yield PromptPreview(item, about, tuple(written[1]), parameters.held_to(SCORE_SCHEMA))
