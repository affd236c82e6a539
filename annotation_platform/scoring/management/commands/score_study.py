"""``manage.py score_study NAME --scorer SCORER``: score a study's closed batches here and now, without a worker."""

import time
from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import DomainError
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.bills import money, paid_in_words
from annotation_platform.scoring.management.bill_arguments import add_bill_arguments
from annotation_platform.scoring.management.run_arguments import add_run_arguments, given_arguments
from annotation_platform.scoring.methods import METHODS, run_method, scorer_title
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.scoring.selectors import run_costs, run_of
from annotation_platform.scoring.services import RUNS, resume_run, start_run
from annotation_platform.studies.management.naming import study_named
from annotation_platform.studies.models import Study
from workers.tasks import take_snapshot

REPORT_EVERY = 1.0  # seconds
LOOK_EVERY = 0.2  # seconds, while a run may have been left behind


class Command(BaseCommand):
    help = "Score the closed batches of a study, then measure the agreement."

    def add_arguments(self, parser: CommandParser) -> None:
        scorers = list(dict.fromkeys(scorer for each in METHODS for scorer in each.scorers))
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--method",
            choices=[str(each.name) for each in METHODS],
            default=Method.EBR.value,
            help="what to measure (ebr)",
        )
        parser.add_argument(
            "--scorer", choices=scorers, help="who reads the explanations or judges (default: the study's own)"
        )
        add_bill_arguments(parser)
        parser.add_argument(
            "--measure",
            action=BooleanOptionalAction,
            default=True,
            help="measure the agreement afterwards; --no-measure where more runs follow: the last measures all",
        )
        add_run_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        started, self._reported = time.perf_counter(), time.perf_counter()
        run = self._run(study, options)
        if run.status == JobStatus.PAUSED:
            self.stdout.write(f"{run.error} To go on: this command with --resume and without --dry-run.")
            return
        self._report(run, time.perf_counter() - started)
        if not options["measure"]:
            self.stderr.write("The agreement is measured by the next run without --no-measure, or by report_study.")
            return
        started = time.perf_counter()
        self.stderr.write("Measuring the agreement …")
        take_snapshot(study, actor=Actor.operator("score_study"))
        self.stderr.write(f"Done in {time.perf_counter() - started:.1f} s.")

    def _run(self, study: Study, options: dict[str, Any]) -> ScoringRun:
        """The run when it is done, or paused because its dry run is."""
        try:
            run = self._unfinished(study, options) if options["resume"] else self._new(study, options)
            claimed = claim(RUNS, run.pk)
        except DomainError as error:
            raise CommandError(str(error)) from None
        if claimed is None:
            raise CommandError(
                f"Another process is working on this run ({run.done:,} of {run.total:,}), or stopped while it was. "
                "With --resume this command finds out which, and goes on from what is stored."
            )
        is_dry = claimed.wants_estimate
        run = execute(RUNS, claimed, on_progress=self._progress)
        was_tried = is_dry and not run.wants_estimate and run.status == JobStatus.PAUSED
        if run.status != JobStatus.DONE and not was_tried:
            if run.status == JobStatus.PAUSED and run.error and run.may_go_on:
                raise CommandError(f"{run.error} What is stored stays; to go on: this command with --resume.")
            raise CommandError(run.error or f"Another process has taken run {run.pk} over.")
        return run

    def _new(self, study: Study, options: dict[str, Any]) -> ScoringRun:
        return start_run(
            study=study,
            scorer=options["scorer"],
            method=options["method"],
            parameters=given_arguments(options),
            budget=options["budget"],
            dry_run=options["dry_run"],
            actor=Actor.operator("score_study"),
        )

    def _unfinished(self, study: Study, options: dict[str, Any]) -> ScoringRun:
        """The newest run that can go on: paused, failed, waiting, or left behind by a process that died."""
        runs = study.scoring_runs.filter(method=options["method"]).exclude(status=JobStatus.DONE)
        run: ScoringRun | None = runs.order_by("-pk").first()
        if run is None:
            raise CommandError("Every run of this study is finished, so there is nothing to resume.")
        if options["dry_run"] and not run.wants_estimate:
            raise CommandError(f"Run {run.pk} is no dry run any more; leave --dry-run out to go on with all of it.")
        if run.status == JobStatus.RUNNING:
            self._wait_for_silence(run)
        if run.status in (JobStatus.PAUSED, JobStatus.FAILED):
            resume_run(
                run=run,
                budget=options["budget"],
                without_budget=options["no_budget"],
                actor=Actor.operator("score_study"),
            )
        elif options["budget"] is not None or options["no_budget"]:
            raise CommandError(f"Run {run.pk} goes on with the budget that it has; leave --budget and --no-budget out.")
        return run

    def _wait_for_silence(self, run: ScoringRun) -> None:
        """Until its process has not been heard of for so long that it must be dead."""
        last_heard = run.heartbeat_at
        self.stderr.write(
            f"Run {run.pk} has not stopped by itself. Checking whether another process is still working on it …"
        )
        while ScoringRun.objects.claimable().filter(pk=run.pk).first() is None:
            time.sleep(LOOK_EVERY)
            run.refresh_from_db()
            if run.status != JobStatus.RUNNING:
                return
            if run.heartbeat_at != last_heard:
                raise CommandError(f"Another process is working on run {run.pk} ({run.done:,} of {run.total:,}).")

    def _progress(self, done: int, total: int) -> None:
        if (now := time.perf_counter()) - self._reported >= REPORT_EVERY:
            self._reported = now
            self.stderr.write(f"{done:,} of {total:,}")

    def _report(self, run: ScoringRun, seconds: float) -> None:
        how = run_method(run.method)
        self.stdout.write(
            f"Scored “{run.study.name}” with “{scorer_title(run.scorer)}”: {run.total:,} {how.counted} "
            f"in {seconds:.1f} s ({run.total / seconds:,.0f} a second)."
        )
        for line in how.summary(run):
            self.stdout.write(f"  {line}")
        if run.parameters.get("model"):
            used = run_costs(run)
            worth = "price not known" if used.used is None else f"worth {money(used.used)}"
            self.stdout.write(f"  paid by this run: {paid_in_words(run_of(run.study, run.pk))}")
            self.stdout.write(f"  replies used: {used.replies:,}, {used.tokens:,} tokens, {worth}")
