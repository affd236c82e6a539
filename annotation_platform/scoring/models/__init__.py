"""Scoring runs, what they found, and every reply of a model with its cost."""

from annotation_platform.scoring.models.completions import Claim, Completion, RecordedReply
from annotation_platform.scoring.models.connections import ModelBatch, ModelConnection, SharedState
from annotation_platform.scoring.models.rescalers import TrainedRescaler
from annotation_platform.scoring.models.runs import GIVING_LABELS, Method, Scorer, ScoringRun
from annotation_platform.scoring.models.scores import ItemLabel, ItemScore, Score
from annotation_platform.scoring.models.settings import ScoringSettings
from annotation_platform.scoring.models.suspicions import SuspiciousPassage
from annotation_platform.scoring.models.trials import ConnectionTrial

__all__ = [
    "GIVING_LABELS",
    "Claim",
    "Completion",
    "ConnectionTrial",
    "ItemLabel",
    "ItemScore",
    "Method",
    "ModelBatch",
    "ModelConnection",
    "RecordedReply",
    "Score",
    "Scorer",
    "ScoringRun",
    "ScoringSettings",
    "SharedState",
    "SuspiciousPassage",
    "TrainedRescaler",
]
