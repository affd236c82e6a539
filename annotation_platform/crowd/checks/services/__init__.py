"""Everything that writes about checks, by topic."""

from annotation_platform.crowd.checks.services.acting import apply_rule, apply_rules_that_wait, mark_read, undo
from annotation_platform.crowd.checks.services.evaluating import correct_check, follow_task
from annotation_platform.crowd.checks.services.making import NewCheck, add_checks, change_rule, retire_check, use_again
from annotation_platform.crowd.checks.services.migrating import carry_checks
from annotation_platform.crowd.checks.services.mixing import Mixed, mix_before_opening, mix_in

__all__ = [
    "Mixed",
    "NewCheck",
    "add_checks",
    "apply_rule",
    "apply_rules_that_wait",
    "carry_checks",
    "change_rule",
    "correct_check",
    "follow_task",
    "mark_read",
    "mix_before_opening",
    "mix_in",
    "retire_check",
    "undo",
    "use_again",
]
