"""Everything that writes studies, by topic."""

from annotation_platform.studies.services.changing import (
    MOST_TASKS,
    archive_study,
    change_study,
    change_time_limit,
    rename_study,
    restore_study,
    set_limits,
    set_welcome,
)
from annotation_platform.studies.services.claiming import (
    NothingToClaimError,
    claim_assignment,
    extend_lease,
    lease_assignment,
    renew_lease,
    return_assignment,
)
from annotation_platform.studies.services.closing import (
    close_batch,
    close_batch_if_complete,
    close_due_batches,
    finish_batch,
    keep_batch_open,
    reopen_batch,
    set_deadline,
)
from annotation_platform.studies.services.cutting import MOST_ITEMS, cut_batches
from annotation_platform.studies.services.deleting import check_typed_name, delete_study
from annotation_platform.studies.services.extending import (
    extension_of,
    lengthen_lease,
    may_extend,
    set_extensions,
)
from annotation_platform.studies.services.making import add_member, create_study, freeze_scheme
from annotation_platform.studies.services.members import (
    LastAdminError,
    change_role,
    hand_over,
    leave_study,
    pause_member,
    remove_member,
    restore_member,
    resume_member,
    revoke_invitation,
)
from annotation_platform.studies.services.mirroring import MirrorRow, declare_mirrored
from annotation_platform.studies.services.opening import (
    BatchStateError,
    launch_imported,
    open_batch,
    store_filled_places,
)
from annotation_platform.studies.services.overlap import (
    OverlapChange,
    change_overlap,
    even_out_left_behind,
    is_overlap_unfinished,
    places_to_add,
)
from annotation_platform.studies.services.planning import PlannedHit, plan_batches, plan_single_items
from annotation_platform.studies.services.sampling import (
    Uncertainty,
    chances_of_tasks,
    draw_batch,
    tasks_to_draw_from,
)
from annotation_platform.studies.services.setting_aside import (
    exclude_member,
    readmit_member,
    reason_for_people,
    restore_work,
    set_aside,
)

__all__ = [
    "MOST_ITEMS",
    "MOST_TASKS",
    "BatchStateError",
    "LastAdminError",
    "MirrorRow",
    "NothingToClaimError",
    "OverlapChange",
    "PlannedHit",
    "Uncertainty",
    "add_member",
    "archive_study",
    "chances_of_tasks",
    "change_overlap",
    "change_role",
    "change_study",
    "change_time_limit",
    "check_typed_name",
    "claim_assignment",
    "close_batch",
    "close_batch_if_complete",
    "close_due_batches",
    "create_study",
    "cut_batches",
    "declare_mirrored",
    "delete_study",
    "draw_batch",
    "even_out_left_behind",
    "exclude_member",
    "extend_lease",
    "extension_of",
    "finish_batch",
    "freeze_scheme",
    "hand_over",
    "is_overlap_unfinished",
    "keep_batch_open",
    "launch_imported",
    "lease_assignment",
    "leave_study",
    "lengthen_lease",
    "may_extend",
    "open_batch",
    "pause_member",
    "places_to_add",
    "plan_batches",
    "plan_single_items",
    "readmit_member",
    "reason_for_people",
    "remove_member",
    "rename_study",
    "renew_lease",
    "reopen_batch",
    "restore_member",
    "restore_study",
    "restore_work",
    "resume_member",
    "return_assignment",
    "revoke_invitation",
    "set_aside",
    "set_deadline",
    "set_extensions",
    "set_limits",
    "set_welcome",
    "store_filled_places",
    "tasks_to_draw_from",
]
