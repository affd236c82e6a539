"""``manage.py train_rescaler STUDY``: train a study's own rescaler on what a language model scored in it."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import DomainError
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.rescalers import train_rescalers
from annotation_platform.studies.management.naming import study_named


class Command(BaseCommand):
    help = (
        "Train a study's own distilled rescaler on the judgments that a language model scored, print how good it is "
        "on articles and annotators that it has not seen and how many scores are enough, and keep it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--run", type=int, metavar="N", help="the run to learn from; default: the newest that can")
        parser.add_argument(
            "--sample",
            type=float,
            default=1.0,
            metavar="SHARE",
            help="share of its scores to learn from, at random (1)",
        )
        parser.add_argument("--seed", type=int, default=0, help="seed of that random choice (0)")
        parser.add_argument("--output", type=Path, metavar="FOLDER", help="also write the artefacts into this folder")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        if (folder := options["output"]) is not None:
            _make(folder)  # before minutes of training
        run = None
        if (number := options["run"]) is not None and (
            run := ScoringRun.objects.filter(study=study, pk=number).first()
        ) is None:
            raise CommandError(f"“{study.name}” has no scoring run {number}.")
        try:
            found = train_rescalers(
                study=study,
                run=run,
                sample=options["sample"],
                seed=options["seed"],
                say=self._say,
                actor=Actor.operator("train_rescaler"),
            )
        except DomainError as error:
            raise CommandError(str(error)) from None
        if not found:
            raise CommandError(f"The scheme of “{study.name}” rescales nothing, so there is nothing to train.")
        for rescaler in found:
            self._say(f"{rescaler}: {len(rescaler.artefact):,} bytes, SHA-256 {rescaler.sha256}")
            if folder is not None:
                path = folder / f"{study.slug}-{rescaler.aspect}-{rescaler.pk}.npz"
                path.write_bytes(bytes(rescaler.artefact))
                self._say(f"  written to {path}")
        self._say("Use it: manage.py score_study STUDY --scorer distilled --rescaler own")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"The folder {folder} cannot be made: {error.strerror}. Name another.") from None
    if not os.access(folder, os.W_OK):
        raise CommandError(f"Nothing can be written to the folder {folder}. Name another.")
