"""``manage.py send_scores NAME --to PROGRAM``: send a study's scores back here and now, without a worker."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import DomainError
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoreback.destinations.registry import DESTINATIONS
from annotation_platform.scoreback.models import ScoreDestination
from annotation_platform.scoreback.previewing import preview_of
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.scoreback.services import request_sending, resume_sending
from annotation_platform.studies.management.naming import study_named


class Command(BaseCommand):
    help = "Send the human scores of a study back to the program that its traces came from."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--to", choices=[*DESTINATIONS], required=True, help="the program, set up on the study's page"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be sent")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        destination = study.score_destinations.filter(program=options["to"]).first()
        if destination is None:
            raise CommandError("Set the destination up on the study's page first: Exports, Send scores back.")
        if options["dry_run"]:
            self._preview(destination)
        else:
            self._send(destination)

    def _preview(self, destination: ScoreDestination) -> None:
        preview = preview_of(destination)
        more = "more than " if preview.is_more else ""
        self.stdout.write(
            f"{more}{preview.to_send:,} scores would be sent to {destination.address}; {preview.counts['there']:,} are "
            f"there already. {preview.untraced:,} answers have no trace that it knows."
        )
        for score in preview.examples:
            said = score.label if score.value is None else f"{score.value:g}"
            self.stdout.write(f"  {score.aspect} = {said}, trace {score.trace} {score.span}".rstrip())

    def _send(self, destination: ScoreDestination) -> None:
        actor = Actor.operator("send_scores")
        try:
            sending = request_sending(destination=destination, actor=actor)
            if sending.status == JobStatus.PAUSED:
                resume_sending(sending=sending, actor=actor)
        except DomainError as error:
            raise CommandError(str(error)) from None
        claimed = claim(SENDINGS, sending.pk)
        if claimed is None:
            raise CommandError("A worker is sending them already; its page tells how far it is.")
        ended = execute(SENDINGS, claimed)
        counts = ended.counts
        told = f"{counts['sent']:,} scores sent, {counts['refused']:,} refused."
        if ended.status != JobStatus.DONE:
            raise CommandError(f"{told} {ended.error}")
        self.stdout.write(told)
