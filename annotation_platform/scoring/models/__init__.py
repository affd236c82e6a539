"""Scoring runs, what they found, every reply of a model with its cost, and uploaded files on their way in."""

from annotation_platform.scoring.models.completions import Completion, RecordedReply
from annotation_platform.scoring.models.connections import ModelConnection
from annotation_platform.scoring.models.imports import ImportJob
from annotation_platform.scoring.models.runs import Method, RunStatus, Scorer, ScoringRun
from annotation_platform.scoring.models.scores import ItemLabel, ItemScore, Score
from annotation_platform.scoring.models.workers import WorkerPulse, stale_before

__all__ = [
    "Completion",
    "ImportJob",
    "ItemLabel",
    "ItemScore",
    "Method",
    "ModelConnection",
    "RecordedReply",
    "RunStatus",
    "Score",
    "Scorer",
    "ScoringRun",
    "WorkerPulse",
    "stale_before",
]
