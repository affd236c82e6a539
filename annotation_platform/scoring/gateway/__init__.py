"""The only caller of language models: many questions at once, every reply stored as it arrives, none paid twice."""

from annotation_platform.scoring.gateway.budget import BudgetReachedError
from annotation_platform.scoring.gateway.client import Gateway, Trial, try_out
from annotation_platform.scoring.gateway.endpoint import ModelRequestError, ModelServerError
from annotation_platform.scoring.gateway.requests import Request

__all__ = ["BudgetReachedError", "Gateway", "ModelRequestError", "ModelServerError", "Request", "Trial", "try_out"]
