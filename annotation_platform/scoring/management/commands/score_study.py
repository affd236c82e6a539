"""``manage.py score_study NAME --scorer SCORER``: score a study's closed batches here and now, without a worker."""

import time
from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.core.errors import DomainError
from annotation_platform.scoring.bills import money, paid_in_words
from annotation_platform.scoring.management.judge_arguments import JUDGE_OPTIONS, add_judge_arguments
from annotation_platform.scoring.management.model_arguments import LEFT_OUT, MODEL_OPTIONS, add_model_arguments
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Method, RunStatus, Scorer, ScoringRun
from annotation_platform.scoring.selectors import run_costs, run_of
from annotation_platform.scoring.services import claim_run, execute_run, resume_run, start_run
from annotation_platform.studies.management.naming import study_named
from annotation_platform.studies.models import Study
from workers.tasks import take_snapshot

REPORT_EVERY = 1.0  # seconds
LOOK_EVERY = 0.2  # seconds, while a run may have been left behind

RESCALER_OPTIONS = ("rescaler", "paid_share", "tolerance", "choice_seed")
EVALUATOR_OPTIONS = ("evaluator", "baseline", "per", "dtype", "simulations")


class Command(BaseCommand):
    help = "Score the closed batches of a study, then measure the agreement."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--method", choices=Method.values, default=Method.EBR.value)
        parser.add_argument("--scorer", choices=Scorer.values, help="default: the study's own")
        parser.add_argument(
            "--lambda", type=float, dest="lambda", metavar="λ", help="share of g in the mixture, 0 to 1"
        )
        parser.add_argument(
            "--rescaler", metavar="WHICH", help="with --scorer distilled: “own”, the study's newest, or its number"
        )
        hybrid = parser.add_argument_group("a part by language model (--scorer hybrid; its options hold, too)")
        hybrid.add_argument("--paid-share", type=float, metavar="SHARE", help="of the judgments, sent at most (0.1)")
        hybrid.add_argument("--tolerance", type=float, metavar="POINTS", help="an expected error not worth sending (0)")
        hybrid.add_argument("--choice-seed", type=int, metavar="SEED", help="of the choice (0)")
        add_model_arguments(parser)
        rev = parser.add_argument_group("evaluator of rationales (--method rev); needs requirements-models.txt")
        rev.add_argument("--evaluator", metavar="MODEL", help="an installed model, a folder, a GGUF file, a hub's name")
        rev.add_argument("--baseline", help="declarative (default), inference, or a template with {question}, {answer}")
        rev.add_argument("--per", help="token (default) or answer: what a likelihood is of")
        rev.add_argument("--dtype", help="float32 (default) or bfloat16")
        rev.add_argument(
            "--simulations",
            action=BooleanOptionalAction,
            help="also LAS and RQ: the evaluator answers by itself",
        )
        add_judge_arguments(parser)
        parser.add_argument(
            "--measure",
            action=BooleanOptionalAction,
            default=True,
            help="measure the agreement afterwards; --no-measure where more runs follow: the last measures all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        started, self._reported = time.perf_counter(), time.perf_counter()
        run = self._run(study, options)
        if run.status == RunStatus.PAUSED:
            self.stdout.write(f"{run.error} To go on: this command with --resume and without --dry-run.")
            return
        self._report(run, time.perf_counter() - started)
        if not options["measure"]:
            self.stderr.write("The agreement is measured by the next run without --no-measure, or by report_study.")
            return
        started = time.perf_counter()
        self.stderr.write("Measuring the agreement …")
        take_snapshot(study)
        self.stderr.write(f"Done in {time.perf_counter() - started:.1f} s.")

    def _run(self, study: Study, options: dict[str, Any]) -> ScoringRun:
        """The run when it is done, or paused because its dry run is."""
        names = ("lambda", *MODEL_OPTIONS, *RESCALER_OPTIONS, *EVALUATOR_OPTIONS, *JUDGE_OPTIONS)
        given = {name: options[name] for name in names if options[name] is not None}
        given |= {name: None for name, value in given.items() if value == LEFT_OUT}
        try:
            run = self._unfinished(study, options) if options["resume"] else self._new(study, options, given)
            claimed = claim_run(run_id=run.pk)
        except DomainError as error:
            raise CommandError(str(error)) from None
        if claimed is None:
            raise CommandError(
                f"Another process is doing this very run ({run.done:,} of {run.total:,}), or died doing it. "
                "With --resume this command sees which, and goes on with what was left behind."
            )
        is_dry = claimed.wants_estimate
        run = execute_run(run=claimed, on_progress=self._progress)
        was_tried = is_dry and not run.wants_estimate and run.status == RunStatus.PAUSED
        if run.status != RunStatus.DONE and not was_tried:
            raise CommandError(run.error or f"Another process has taken run {run.pk} over.")
        return run

    def _new(self, study: Study, options: dict[str, Any], given: dict[str, Any]) -> ScoringRun:
        return start_run(
            study=study,
            scorer=options["scorer"],
            method=options["method"],
            parameters=given,
            budget=options["budget"],
            dry_run=options["dry_run"],
        )

    def _unfinished(self, study: Study, options: dict[str, Any]) -> ScoringRun:
        """The newest run that can go on: paused, failed, waiting, or left behind by a process that died."""
        runs = study.scoring_runs.filter(method=options["method"]).exclude(status=RunStatus.DONE)
        run: ScoringRun | None = runs.order_by("-pk").first()
        if run is None:
            raise CommandError("Every run of this study is finished, so there is nothing to resume.")
        if run.status == RunStatus.RUNNING:
            self._wait_for_silence(run)
        if run.status in (RunStatus.PAUSED, RunStatus.FAILED):
            resume_run(run=run, budget=options["budget"])
        elif options["budget"] is not None:
            raise CommandError(f"Run {run.pk} goes on with the budget that it has; leave --budget out.")
        return run

    def _wait_for_silence(self, run: ScoringRun) -> None:
        """Until its process has not been heard of for so long that it must be dead."""
        last_heard = run.heartbeat_at
        self.stderr.write(f"Run {run.pk} has not stopped by itself. Seeing whether another process is still at it …")
        while ScoringRun.objects.claimable().filter(pk=run.pk).first() is None:
            time.sleep(LOOK_EVERY)
            run.refresh_from_db()
            if run.status != RunStatus.RUNNING:
                return
            if run.heartbeat_at != last_heard:
                raise CommandError(f"Another process is doing run {run.pk} ({run.done:,} of {run.total:,}).")

    def _progress(self, done: int, total: int) -> None:
        if (now := time.perf_counter()) - self._reported >= REPORT_EVERY:
            self._reported = now
            self.stderr.write(f"{done:,} of {total:,}")

    def _report(self, run: ScoringRun, seconds: float) -> None:
        how = run_method(run.method)
        self.stdout.write(
            f"Scored “{run.study.name}” with “{run.get_scorer_display()}”: {run.total:,} {how.counted} "
            f"in {seconds:.1f} s ({run.total / seconds:,.0f} a second)."
        )
        for line in how.summary(run):
            self.stdout.write(f"  {line}")
        if run.parameters.get("model"):
            used = run_costs(run)
            worth = "price not known" if used.used is None else f"worth {money(used.used)}"
            self.stdout.write(f"  paid by this run: {paid_in_words(run_of(run.study, run.pk))}")
            self.stdout.write(f"  replies used: {used.replies:,}, {used.tokens:,} tokens, {worth}")
