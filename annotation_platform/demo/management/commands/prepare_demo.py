"""``manage.py prepare_demo``: the database, a sample study of each task and its people; what is there already stays."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils.text import slugify

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_DOMAIN, DEMO_ROLES
from annotation_platform.demo.crowd import NAME as CROWD
from annotation_platform.demo.crowd import prepare_crowd
from annotation_platform.demo.drawn import NAME as DRAWN
from annotation_platform.demo.drawn import prepare_drawn
from annotation_platform.demo.migrated import migrate
from annotation_platform.demo.recorded import (
    RATIONALES,
    RECORDED,
    REPLIES,
    SAMPLES,
    RecordedRun,
    load_replies,
    measure_rationales,
    run_recorded,
)
from annotation_platform.demo.samples import FIRST, corpus_name, load_sample, sample_files
from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import FINISHED_STATES, Role, Study
from annotation_platform.studies.services import add_member
from workers.tasks import take_snapshot

ACTOR = Actor.operator("prepare_demo")


class Command(BaseCommand):
    recorded: Sequence[RecordedRun] = RECORDED
    help = "Prepare the demo: migrate the database, load the sample studies, add annotator, researcher and admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--without-replies",
            action="store_true",
            help="leave out the replies of a language model that were recorded for the samples",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.recorded = () if options["without_replies"] else RECORDED
        self.stdout.write("Preparing the database …")
        aside = migrate()
        if aside is not None:
            self.stdout.write(
                "The demo's database was made by an early version and cannot be brought up to date; "
                f"it is made anew. What was in it is kept in {aside}."
            )
        call_command("build_assets", stdout=self.stdout)
        users = {role: self._user(role) for role in DEMO_ROLES}
        for sample in sample_files(SAMPLES):
            self._prepare(sample, users)
        source = Study.objects.filter(name=corpus_name(SAMPLES / FIRST)).first()
        if source is not None and not Study.objects.filter(name=CROWD).exists():
            self.stdout.write(f"Letting a crowd work at “{CROWD}” …")
            prepare_crowd(source=source, users=users)
        if not Study.objects.filter(name=DRAWN, snapshots__isnull=False).exists():
            self.stdout.write(f"Drawing tasks of “{DRAWN}” for people, and measuring …")
            take_snapshot(prepare_drawn(users=users), actor=ACTOR)

    def _prepare(self, sample: Path, users: dict[str, User]) -> None:
        name = corpus_name(sample)
        study = Study.objects.filter(slug=slugify(name)).first()  # whatever it is called by now
        if study is None:
            self.stdout.write(f"Loading the sample study “{name}” …")
            study = load_sample(sample, owner=users["admin"], actor=ACTOR)
            study.members.filter(user=users["admin"]).update(pseudonym="Demo admin")
        for role, user in users.items():
            if not study.members.filter(user=user).exists():
                add_member(
                    study=study,
                    user=user,
                    role=Role(role),
                    pseudonym=f"Demo {role}",
                    actor=ACTOR,
                )
        is_waiting = study.batches.filter(state__in=FINISHED_STATES).exists()
        if is_waiting and not study.snapshots.exists():
            self.stdout.write(f"Scoring and measuring the closed batches of “{name}” …")
            if "reference_answers" in study.scheme().parts:
                started = start_run(study=study, method=Method.EQUIVALENCE, actor=ACTOR)
                run_job(RUNS, started.pk)
            for recorded in self.recorded:
                if recorded.sample == sample.name:
                    load_replies(SAMPLES / REPLIES)
                    self._told("labels of a language model", run_recorded(recorded, study))
            if self.recorded and sample.name == RATIONALES:
                self._told("measures of rationales", measure_rationales(study))
            if study.scheme().rescale:
                call_command("score_study", name, method="ebr", scorer="distilled", stdout=self.stdout)
            else:
                take_snapshot(study, actor=ACTOR)

    def _told(self, what: str, run: ScoringRun | None) -> None:
        if run is None or run.status != JobStatus.DONE:
            self.stdout.write(f"  No {what}: {run.error if run else 'another worker has the run.'}")

    @staticmethod
    def _user(role: str) -> User:
        """Somebody without a password: the demo's sign-in buttons are the only way in."""
        email = f"{role}@{DEMO_DOMAIN}"
        found = User.objects.filter(email=email).first()
        return found or User.objects.create_user(email, is_staff=role == "admin", is_superuser=role == "admin")
