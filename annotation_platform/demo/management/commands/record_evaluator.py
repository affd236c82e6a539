"""``manage.py record_evaluator MODEL``: what a language model says of the demo's rationales, for the demo to show."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import DomainError
from annotation_platform.core.methods.rev.language_models import ModelError
from annotation_platform.core.methods.rev.recorded import Recorder
from annotation_platform.core.methods.rev.sources import find_source
from annotation_platform.demo.recorded import EVALUATOR, LIKELIHOODS, RATIONALES, SAMPLES
from annotation_platform.demo.samples import corpus_name
from annotation_platform.jobs.contract import claim
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.methods.rev.parameters import RevParameters, models_folder
from annotation_platform.scoring.methods.rev.run import score_rationales
from annotation_platform.scoring.models import Method
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Study


class Command(BaseCommand):
    help = (
        "Measure the demo's rationales with a language model, and store its likelihoods beside the samples. Needed "
        "after a change of these rationales; for an empty DATA_DIR. Needs requirements-models.txt."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("evaluator", metavar="MODEL", help="as --evaluator of score_study: trained on rationales")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if Study.objects.exists():
            raise CommandError("This database has studies already. Name an empty folder: DATA_DIR=… record_evaluator")
        name = corpus_name(SAMPLES / RATIONALES)
        call_command("import_study", "native", str(SAMPLES / RATIONALES), name=name, stdout=self.stdout)
        try:
            recorder = self._record(Study.objects.get(name=name), options["evaluator"])
        except (DomainError, ModelError) as error:
            raise CommandError(str(error)) from None
        is_trained = find_source(options["evaluator"], models_folder()).is_trained
        recorder.save(LIKELIHOODS, name=EVALUATOR, is_trained=is_trained)
        self.stdout.write(f"The likelihoods are in {LIKELIHOODS}.")

    def _record(self, study: Study, evaluator: str) -> Recorder:
        run = start_run(
            study=study,
            method=Method.REV,
            parameters={"evaluator": evaluator},
            actor=Actor.operator("record_evaluator"),
        )
        claimed = claim(RUNS, run.pk)
        if claimed is None:
            raise CommandError("Another worker has the run.")
        parameters = run_method(run.method).parse(scorer=run.scorer, stored=run.parameters)
        assert isinstance(parameters, RevParameters)
        recorder = Recorder(find_source(parameters.evaluator, models_folder()).load(parameters.dtype))
        with Heartbeat(claimed) as heartbeat:
            score_rationales(claimed, parameters, recorder, heartbeat)
        return recorder
