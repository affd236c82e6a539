"""The demo's study of which people judge a part: drawn by a classifier's uncertainty, which has judged all of it."""

from collections.abc import Mapping
from itertools import count
from typing import Any

import yaml
from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.models import Corpus
from annotation_platform.demo.judging import submit
from annotation_platform.demo.recorded import ACTOR, SAMPLES
from annotation_platform.imports.storing import import_corpus
from annotation_platform.jobs.contract import run_job
from annotation_platform.scoring.models import Method
from annotation_platform.scoring.services import RUNS, draw_and_open, start_run
from annotation_platform.scoring.uncertainty import uncertain_run
from annotation_platform.studies.building import build_study
from annotation_platform.studies.models import FINISHED_STATES, Batch, BatchState, Item, Role, Study
from annotation_platform.studies.services import (
    add_member,
    claim_assignment,
    close_batch,
)

NAME = "A longer quiz"
CORPUS = SAMPLES / "drawn" / "corpus.yaml"
OPINIONS = SAMPLES / "drawn" / "opinions.yaml"
TASKS = 60  # half of them; an answer each
PEOPLE = ("Heron", "Plover")

Opinions = Mapping[tuple[str, str], list[dict[str, Any]]]
"""Question and system → what each of the people says of the answer."""


def prepare_drawn(*, users: Mapping[str, User]) -> Study:
    """Make the study and have its drawn part judged; what is there already stays, and what was broken off goes on.

    Parameters
    ----------
    users
        Role → the demo's account.
    """
    study = Study.objects.filter(name=NAME).first() or _study(users["admin"])
    if study.batches.filter(state__in=FINISHED_STATES).exists():
        return study
    run = start_run(study=study, method=Method.EQUIVALENCE, actor=ACTOR)
    run_job(RUNS, run.pk)
    batch = study.batches.filter(state=BatchState.OPEN).first() or draw_and_open(
        study=study, tasks=TASKS, source=uncertain_run(study, run.pk), floor=0.3, seed="demo", actor=ACTOR
    )
    _judge(study, batch)
    for role in (Role.RESEARCHER, Role.ANNOTATOR):
        add_member(study=study, user=users[role], role=role, pseudonym=f"Demo {role}", actor=ACTOR)
    return study


def opinions() -> Opinions:
    rows = yaml.safe_load(OPINIONS.read_text(encoding="utf-8"))
    return {(row["question"], row["system"]): row["said"] for row in rows}


def _study(owner: User) -> Study:
    if not Corpus.objects.filter(name=NAME).exists():
        with read_study(FORMATS["native"], open_files(FORMATS["native"], [CORPUS]), Options()) as read:
            import_corpus(imported=read, name=NAME, owner=owner, actor=ACTOR)
    study = build_study(
        owner=owner,
        name=NAME,
        corpus=Corpus.objects.get(name=NAME),
        definition=preset("equivalence"),
        actor=ACTOR,
        overlap=len(PEOPLE),
        questions_per_hit=1,
        hits_per_batch=2 * TASKS,
    )
    study.members.filter(user=owner).update(pseudonym="Demo admin")
    return study


@transaction.atomic
def _judge(study: Study, batch: Batch) -> None:
    """Everybody judges all of the batch; then it is closed."""
    said = opinions()
    for place, pseudonym in enumerate(PEOPLE):
        user = User.objects.create_guest(pseudonym)
        member = add_member(study=study, user=user, role=Role.ANNOTATOR, pseudonym=pseudonym, actor=ACTOR)
        seconds = count(20 + place)
        for _ in range(batch.hits.count()):
            task = claim_assignment(annotator=member, actor=Actor.person(user.pk))
            for item in Item.objects.filter(hit=task.hit_id).order_by("position"):
                (candidate,) = item.candidates.select_related("answer__system", "answer__question")
                answer = candidate.answer
                values = said[answer.question.external_id, answer.system.name][place]
                submit(task, item, values, 10.0 + next(seconds) % 40)
    close_batch(batch=batch, because="The drawn tasks are judged.", actor=ACTOR)
