"""The tables of all topics, where Django looks for them."""

from annotation_platform.crowd.pay.models import LedgerEntry as LedgerEntry
from annotation_platform.crowd.pay.models import PaymentLine as PaymentLine
from annotation_platform.crowd.pay.models import PaymentRun as PaymentRun
from annotation_platform.crowd.pay.models import PayTerms as PayTerms
