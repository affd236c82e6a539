"""What language models were asked, and by choice what they replied, as the runs of a study sent and got it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from django.db.models import QuerySet

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.freeze.facts import without
from annotation_platform.releases.models import Release
from annotation_platform.scoring.models import Completion, ItemLabel, Score
from annotation_platform.studies.models import FINISHED_STATES, Item

PROMPTS, REPLIES = "prompts.jsonl", "replies.jsonl"


def completions_of(release: Release) -> QuerySet[Completion]:
    """The replies that scores of the release's judgments, and labels of its items, were read from in finished runs,
    second readings among them.

    What a run asked about anything else is not in a release, also when nothing is left of what it found.
    """
    runs = release.study.scoring_runs.filter(pk__in=release.facts["runs"])
    judged = Annotation.objects.closed().filter(item__study=release.study)
    items = Item.objects.filter(study=release.study, hit__batch__state__in=FINISHED_STATES)
    of_judgments = Score.objects.filter(run__in=runs, annotation__in=judged).order_by()
    of_items = ItemLabel.objects.filter(run__in=runs, item__in=items).order_by()
    places = ((of_judgments, "completion"), (of_items, "completion"), (of_items, "second_completion"))
    first, *others = (rows.filter(**{f"{reply}__isnull": False}).values(reply) for rows, reply in places)
    # One list: PostgreSQL looks each request up anew in every long list where any of several will do.
    return Completion.objects.filter(pk__in=first.union(*others, all=True)).order_by("pk")


def write_prompts(release: Release, removed: Sequence[str], file: BinaryIO) -> None:
    """A line for each request: its signature, the run that sent it first (null: of another study), and its body."""
    own = set(release.study.scoring_runs.values_list("pk", flat=True))
    for each in completions_of(release).defer("reply").iterator():
        run = each.run_id if each.run_id in own else None
        line = {"signature": each.signature, "run": run, "model": each.model, "request": each.request}
        _write(file, line, removed)


def write_replies(release: Release, removed: Sequence[str], file: BinaryIO) -> None:
    """A line for each reply, by the signature of its request."""
    for each in completions_of(release).defer("request").iterator():
        line = {"signature": each.signature, "reply": each.reply, "finish_reason": each.finish_reason}
        _write(file, line, removed)


def files_asked(release: Release) -> Iterator[str]:
    """Their names, as the release has them by choice; none where no model was asked."""
    if (release.with_prompts or release.with_replies) and completions_of(release).exists():
        yield from [PROMPTS] if release.with_prompts else []
        yield from [REPLIES] if release.with_replies else []


def _write(file: BinaryIO, line: dict[str, Any], removed: Sequence[str]) -> None:
    text = json.dumps(without(line, removed) if removed else line, ensure_ascii=False, sort_keys=True)
    file.write(f"{text}\n".encode())
