"""Language-model raters by aspect, as runs execute them: over all items of a study, whether people have judged them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from django.utils.translation import gettext

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.judging import JudgePrompt
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.text import percent
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods.contract import PromptPreview, RunMethod, by_language_model
from annotation_platform.scoring.methods.judge.panel import Panel, ask_everything, read_again
from annotation_platform.scoring.methods.judge.parameters import (
    JudgeParameters,
    resolve_judge,
)
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.scoring.run_words import READERS, unread_in_words, variant_in_words
from annotation_platform.studies.items import texts_signature
from annotation_platform.studies.models import Study


class Judging(RunMethod):
    name = Method.JUDGE
    title = _("Language-model raters by aspect")
    scored_by = (by_language_model(JudgeParameters),)
    counted = "replies"
    asks_for_labels = True
    purpose = _("A language model gives every item the labels that people give it, aspect by aspect (ACORN).")

    def check(self, study: Study) -> None:
        if not study.scheme().labelled_aspects:
            raise InvalidInputError("scoring.no_labels_to_ask_for")
        if not study.batches.exists():
            raise InvalidInputError("scoring.no_items_to_ask_about", study=study.name)

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> JudgeParameters:
        return resolve_judge(JudgeParameters, study=study, given=given)

    def _told(self, run: ScoringRun) -> Mapping[str, Any]:
        return {**run.parameters, **run.parameters.get("asking", {})}

    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        return self.panel(run.study, self.parse(scorer=run.scorer, stored=run.parameters)).total()

    def data_signature(self, run: ScoringRun) -> str:
        return texts_signature(run.study.items.all(), run.study.scheme().parts)

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        return judge(run, self.panel(run.study, parameters), heartbeat, is_mean=False)

    def panel(self, study: Study, parameters: Parameters) -> Panel:
        """What a run with these parameters asks."""
        assert isinstance(parameters, JudgeParameters)
        return Panel(study, parameters)

    def vote_again(self, run: ScoringRun, items: Sequence[int]) -> None:
        """Bring the scores of some items to what their labels are now."""
        from annotation_platform.scoring.methods.judge.label_votes import vote_on_items

        vote_on_items(run, run.study.scheme(), is_mean=False, items=items)

    def summary(self, run: ScoringRun) -> list[str]:
        return [summary_of(aspect, counts) for aspect, counts in run.counts.items() if "failure_rate" in counts]

    def asked(
        self, *, study: Study, parameters: Parameters, limit: int, item_id: int | None = None
    ) -> Iterator[PromptPreview]:
        return asked_of(self.panel(study, parameters), limit, item_id)


def judge(run: ScoringRun, panel: Panel, heartbeat: Heartbeat, *, is_mean: bool) -> dict[str, Any]:
    """Ask, read by rules, read again, vote; return the counts by aspect."""
    from annotation_platform.scoring.methods.judge.label_votes import (  # numpy: only where run
        label_counts,
        vote_on_items,
    )

    ask_everything(run, panel, heartbeat)
    if panel.parameters.second_reading:
        read_again(run, panel, heartbeat)
    vote_on_items(run, panel.scheme, is_mean=is_mean)
    return label_counts(run)


def summary_of(aspect: str, counts: Mapping[str, Any]) -> str:
    """An aspect's counts as a line: who read how many labels, and how many nobody could."""
    read = ", ".join(f"{count:,} by {READERS[source]}" for source, count in counts["read_by"].items())
    unread = "".join(f", {count:,} not read ({unread_in_words(reason)})" for reason, count in counts["unread"].items())
    return f"{aspect}: {read or 'none read'}{unread}; {percent(counts['failure_rate'], 1)} not read"


def asked_of(panel: Panel, limit: int, item_id: int | None) -> Iterator[PromptPreview]:
    """What a panel asks, item by item."""
    wanted = panel.texts() if item_id is None else panel.texts_of([item_id])
    found = (
        PromptPreview(
            *(texts.id, _about(panel, prompt), tuple(prompt.messages)), panel.request(texts.id, 0, prompt, 0).schema
        )
        for texts in wanted
        for prompt in panel.prompts(texts)
    )
    return islice(found, limit)


def _about(panel: Panel, prompt: JudgePrompt) -> str:
    number = prompt.call.candidate
    candidate = gettext("candidate %(n)s") % {"n": number} if number else ""
    slots = prompt.call.slots
    aspects = slots[0].aspect.title if len(slots) == 1 else gettext("all aspects")
    variant = variant_in_words(prompt.variant) if len(panel.asking.variants) > 1 else ""
    return " · ".join(filter(None, [candidate, aspects, variant]))
