"""``manage.py record_replies``: the labels of a small language model for the samples that show some."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation_platform.demo.recorded import ADDRESS, RECORDED, REPLIES, SAMPLES, run_recorded, save_replies
from annotation_platform.demo.samples import corpus_name
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Completion
from annotation_platform.studies.models import Study


class Command(BaseCommand):
    help = (
        "Ask the model that serve_model serves for its labels in the demo's studies, and store its replies beside the "
        "samples. Needed after a change of these samples or of the prompts; for an empty DATA_DIR."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        if Study.objects.exists():
            raise CommandError("This database has studies already. Name an empty folder: DATA_DIR=… record_replies")
        call_command("prepare_demo", without_replies=True, stdout=self.stdout)  # else nothing would be asked
        for recorded in RECORDED:
            study = Study.objects.get(name=corpus_name(SAMPLES / recorded.sample))
            self.stdout.write(f"Asking about “{study.name}” …")
            run = run_recorded(recorded, study)
            if run is None or run.status != JobStatus.DONE:
                raise CommandError(f"It did not end: {run.error if run else 'a worker has it'} Is {ADDRESS} served?")
        save_replies(SAMPLES / REPLIES, Completion.objects.all())
        self.stdout.write(f"{Completion.objects.count()} replies are in {SAMPLES / REPLIES}.")
