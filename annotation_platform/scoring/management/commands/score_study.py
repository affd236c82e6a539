"""``manage.py score_study NAME --scorer SCORER``: score a study's closed batches here and now, without a worker."""

import time
from argparse import BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_platform.core.errors import DomainError
from annotation_platform.core.methods.prompts import Variant
from annotation_platform.scoring.management.judge_arguments import JUDGE_OPTIONS, add_judge_arguments
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Method, RunStatus, Scorer, ScoringRun
from annotation_platform.scoring.selectors import run_cost
from annotation_platform.scoring.services import claim_run, execute_run, start_run
from annotation_platform.studies.models import Study
from workers import tasks

REPORT_EVERY = 1.0  # seconds

# Given on the command line, or left to the study, the environment and the scorer's defaults.
MODEL_OPTIONS = (
    "model",
    "base_url",
    "variant",
    "temperature",
    "max_tokens",
    "concurrency",
    "timeout",
    "retries",
    "price_in",
    "price_out",
)


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
        model = parser.add_argument_group("language model (--scorer openai); its key comes from OPENAI_API_KEY")
        model.add_argument("--model", help="default: OPENAI_MODEL")
        model.add_argument("--base-url", help="any OpenAI-compatible server; default: OPENAI_BASE_URL")
        model.add_argument("--variant", choices=list(Variant), help="what the model is shown")
        model.add_argument("--temperature", type=number_or_none, help="a number, or “none” to leave it to the server")
        model.add_argument("--max-tokens", type=whole_number_or_none, help="a number, or “none”, as above")
        model.add_argument("--concurrency", type=int, help="requests at a time")
        model.add_argument("--timeout", type=float, help="seconds for one attempt")
        model.add_argument("--retries", type=int, help="further attempts at a request")
        model.add_argument("--price-in", type=float, help="US dollars for a million prompt tokens")
        model.add_argument("--price-out", type=float, help="US dollars for a million tokens of replies")
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

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            known = ", ".join(f"“{name}”" for name in Study.objects.values_list("name", flat=True)) or "none yet"
            raise CommandError(f"There is no study named “{options['study']}”. Studies: {known}.")
        started, self._reported = time.perf_counter(), time.perf_counter()
        run = self._run(study, options)
        self._report(run, time.perf_counter() - started)
        started = time.perf_counter()
        self.stderr.write("Measuring the agreement …")
        tasks.take_snapshot(study.pk)
        self.stderr.write(f"Done in {time.perf_counter() - started:.1f} s.")

    def _run(self, study: Study, options: dict[str, Any]) -> ScoringRun:
        names = ("lambda", *MODEL_OPTIONS, *EVALUATOR_OPTIONS, *JUDGE_OPTIONS)
        given = {name: options[name] for name in names if options[name] is not None}
        given |= {name: None for name, value in given.items() if value == LEFT_OUT}
        try:
            run = start_run(study=study, scorer=options["scorer"], method=options["method"], parameters=given)
            claimed = claim_run(run_id=run.pk)
        except DomainError as error:
            raise CommandError(str(error)) from None
        if claimed is None:
            raise CommandError(f"A background worker is doing this very run ({run.done:,} of {run.total:,}).")
        run = execute_run(run=claimed, on_progress=self._progress)
        if run.status != RunStatus.DONE:
            raise CommandError(run.error or f"Another process has taken run {run.pk} over.")
        return run

    def _progress(self, done: int, total: int) -> None:
        if (now := time.perf_counter()) - self._reported >= REPORT_EVERY:
            self._reported = now
            self.stderr.write(f"{done:,} of {total:,}")

    def _report(self, run: ScoringRun, seconds: float) -> None:
        how = run_method(run.method)
        if run.method == Method.EBR and not run.study.scheme().rescale:
            self.stdout.write(f"The scheme of “{run.study.name}” rescales nothing; its batches need no scores.")
            return
        self.stdout.write(
            f"Scored “{run.study.name}” with “{run.get_scorer_display()}”: {run.total:,} {how.counted} "
            f"in {seconds:.1f} s ({run.total / seconds:,.0f} a second)."
        )
        for line in how.summary(run):
            self.stdout.write(f"  {line}")
        if (cost := run_cost(run)) is not None:
            self.stdout.write(f"  cost of the replies: ${cost:.4f}")


LEFT_OUT = "none"


def number_or_none(text: str) -> float | str:
    return LEFT_OUT if text == LEFT_OUT else float(text)


def whole_number_or_none(text: str) -> int | str:
    return LEFT_OUT if text == LEFT_OUT else int(text)
