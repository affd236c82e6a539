"""A study: a corpus judged under one frozen scheme by its members, cut into batches, HITs and places."""

from annotation_platform.accounts.roles import Role
from annotation_platform.studies.models.assignments import (
    Assignment,
    AssignmentQuerySet,
    AssignmentState,
    SetAside,
    at_work,
    in_hand,
)
from annotation_platform.studies.models.batches import (
    FINISHED_STATES,
    Batch,
    BatchState,
    Draw,
    DrawRule,
    Hit,
    goes_on,
    takes_judgments,
)
from annotation_platform.studies.models.items import DECLARED, Candidate, Item
from annotation_platform.studies.models.members import Invitation, Member
from annotation_platform.studies.models.schemes import SchemeVersion
from annotation_platform.studies.models.studies import AnnotatorsAre, AssignmentPolicy, Study

__all__ = [
    "DECLARED",
    "FINISHED_STATES",
    "AnnotatorsAre",
    "Assignment",
    "AssignmentPolicy",
    "AssignmentQuerySet",
    "AssignmentState",
    "Batch",
    "BatchState",
    "Candidate",
    "Draw",
    "DrawRule",
    "Hit",
    "Invitation",
    "Item",
    "Member",
    "Role",
    "SchemeVersion",
    "SetAside",
    "Study",
    "at_work",
    "goes_on",
    "in_hand",
    "takes_judgments",
]
