"""Everything that writes terms, the ledger and payments."""

from annotation_platform.crowd.pay.services.correcting import correct, corrections_of
from annotation_platform.crowd.pay.services.crediting import (
    approved_aside,
    credit_assignment,
    credit_bonus,
    credit_returned,
    credit_submitted,
)
from annotation_platform.crowd.pay.services.due import credit_what_is_due
from annotation_platform.crowd.pay.services.handing_out import hand_out_file
from annotation_platform.crowd.pay.services.payments import (
    approve_payment,
    cancel_payment,
    collect_payment,
    reverse_payment,
    settle_line,
    why_not_approve,
)
from annotation_platform.crowd.pay.services.recording import record_paid
from annotation_platform.crowd.pay.services.setting_terms import set_terms
from annotation_platform.crowd.pay.services.taking_back import take_back

__all__ = [
    "approve_payment",
    "approved_aside",
    "cancel_payment",
    "collect_payment",
    "correct",
    "corrections_of",
    "credit_assignment",
    "credit_bonus",
    "credit_returned",
    "credit_submitted",
    "credit_what_is_due",
    "hand_out_file",
    "record_paid",
    "reverse_payment",
    "set_terms",
    "settle_line",
    "take_back",
    "why_not_approve",
]
