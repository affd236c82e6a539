"""Everything that writes scoring runs, by topic."""

from annotation_platform.scoring.services.changing import choose_run, dismiss_suspicion, set_budget, set_scoring
from annotation_platform.scoring.services.executing import RUNS
from annotation_platform.scoring.services.preparing import resolve_parameters, runs_beyond_budgets, who_scores
from annotation_platform.scoring.services.sampling import DrawPlan, draw_and_open, plan_draw
from annotation_platform.scoring.services.starting import (
    RunActiveError,
    pause_run,
    resume_run,
    start_run,
    start_runs_for_closed_batches,
    stop_run,
)

__all__ = [
    "RUNS",
    "DrawPlan",
    "RunActiveError",
    "choose_run",
    "dismiss_suspicion",
    "draw_and_open",
    "pause_run",
    "plan_draw",
    "resolve_parameters",
    "resume_run",
    "runs_beyond_budgets",
    "set_budget",
    "set_scoring",
    "start_run",
    "start_runs_for_closed_batches",
    "stop_run",
    "who_scores",
]
