"""A study: a corpus judged under one frozen scheme by its members, cut into batches, HITs and places."""

from annotation_platform.studies.models.assignments import Assignment, AssignmentState, SetAside, at_work
from annotation_platform.studies.models.batches import (
    FINISHED_STATES,
    Batch,
    BatchState,
    Draw,
    DrawRule,
    Hit,
    takes_judgments,
)
from annotation_platform.studies.models.items import DECLARED, Candidate, Item
from annotation_platform.studies.models.members import Invitation, Member
from annotation_platform.studies.models.schemes import SchemeVersion
from annotation_platform.studies.models.studies import AssignmentPolicy, Role, Study

__all__ = [
    "DECLARED",
    "FINISHED_STATES",
    "Assignment",
    "AssignmentPolicy",
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
    "takes_judgments",
]
