"""Everything that writes studies, by topic."""

from annotation_platform.studies.services.closing import close_batch, close_batch_if_complete, close_due_batches
from annotation_platform.studies.services.making import add_member, create_study, freeze_scheme
from annotation_platform.studies.services.opening import (
    BatchStateError,
    launch_imported,
    open_batch,
    store_filled_places,
)
from annotation_platform.studies.services.places import (
    NothingToClaimError,
    claim_assignment,
    renew_lease,
    return_assignment,
    take_place,
)
from annotation_platform.studies.services.planning import PlannedHit, plan_batches, plan_single_items

__all__ = [
    "BatchStateError",
    "NothingToClaimError",
    "PlannedHit",
    "add_member",
    "claim_assignment",
    "close_batch",
    "close_batch_if_complete",
    "close_due_batches",
    "create_study",
    "freeze_scheme",
    "launch_imported",
    "open_batch",
    "plan_batches",
    "plan_single_items",
    "renew_lease",
    "return_assignment",
    "store_filled_places",
    "take_place",
]
