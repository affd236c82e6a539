"""What a study pays, as its plan starts with it: what was agreed where anything was, else what annotators are told."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from annotation_platform.studies.models import Study

PaidBy = Literal["task", "hour"]
_CODE = r"\b(?!HIT\b)[A-Z]{3}\b"  # of a currency; a HIT is a task
_AMOUNT = re.compile(
    rf"(?P<before>[€$£¥]|{_CODE})?\s?(?<![\d.,])"
    r"(?P<sum>[1-9]\d{0,2}(?P<between>[.,\u00a0\u202f])\d{3}(?:(?P=between)\d{3})*(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?)"
    rf"(?![.,]?\d)\s?(?P<after>[€$£¥円]|{_CODE})?"
)
_OF_HOURS = re.compile(r"hour|\bhrs?\b|\bh\b|stunde|\bstd\b|時", re.IGNORECASE)
_BY_HOUR = re.compile(
    r"hourly|stundenlohn|(?:\b(?:an?|per|each|every|pro|je)\s+|[/／]\s?)(?:hour|hr|h|stunde|std)\b"
    r"|時給|毎時|(?<!\d)[1１]\s?時間|[/／]\s?時|時間(?:給|あたり|につき)",
    re.IGNORECASE,
)
_OF_TASKS = re.compile(
    r"\b(?!1\b)(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\s+(?:tasks|HITs|Aufgaben)\b"
    r"|(?:(?<!\d)[2-9２-９]|\d{2})\s?(?:タスク|件)",
    re.IGNORECASE,
)
_BY_TASK = re.compile(
    r"(?:\b(?:an?|per|each|every|for\s+(?:the|this|one)|pro|je|für\s+(?:die|diese|eine))\s+|/\s?|(?<![\d.,])1\s)"
    r"(?:(?:completed|finished|submitted)\s+)?(?:task|HIT|Aufgabe)\b"
    r"|(?<!\d)[1１]\s?(?:タスク|件)|(?<![\d\s])(?:タスク|件)(?:ごと|あたり|につき)",
    re.IGNORECASE,
)
_OF_OTHER_WORK = re.compile(
    r"\b(?:in\s+all|total(?:s|l?ing)?|altogether|overall|lump\s+sum|flat|for\s+(?:everything|all|complet\w+)"
    r"|(?:up|upon|on)\s+(?:to|completion)|at\s+most|max(?:imum|imal)?|daily|weekly|monthly|vouchers?|gift\s+cards?"
    r"|insgesamt|pauschale?|bis\s+zu|höchstens|im\s+monat|(?:your|the|ihre|die)\s+(?:participation|teilnahme))\b"
    r"|\b(?:per|pro|je)\s+(?!task|HIT|aufgabe|hour|hr|h\b|stunde|std\b|bank|e?-?mail|post|paypal|überweisung)[^\W\d]"
    r"|\b(?:an?|each|every|for\s+(?:the|this|our)|whole|entire|full|für\s+die|ganzen?|gesamten?)\s+"
    r"(?:batch|stud(?:y|ie)|survey|project|round|session|day|week|month|person|participant|article|document|question"
    r"|item|answer|judge?ment|label|annotation)\b"
    r"|/\s?(?:batch|study|day|week|month|person|participant|article|document|question|item|answer|judge?ment)\b"
    r"|合計|総計|総額|計\s?[¥￥]?\d|全部で|全体|すべてで|全タスク|一括|一律|最大|上限|[日週月]給|月額|ギフト券|クーポン|QUOカード"
    r"|(?:[日週人名問文]|[^\W\d]回)(?:あたり|につき|ごと)"
    r"|(?<!\d)[1１一]\s?(?:バッチ|ペア|セット|日|週|か月|ヶ月|人|名|問|文|記事|回答|判定|回|対話|要約)"
    r"|(?:バッチ|質問|設問|記事|文書|回答|判定|ペア|セット|対話|要約)(?:ごと|あたり|につき)",
    re.IGNORECASE,
)
# “1万円” is not 1, and of “$2–3” nobody knows which.
_NOT_AS_WRITTEN = re.compile(r"\d\s?[万千]|\d\s?(?:[-–—〜～~]|to|bis|から)\s?[€$£¥]?\d|\d[kK]\b")
_BY_MINUTE = re.compile(r"minute|\bmin\b|分", re.IGNORECASE)


@dataclass(frozen=True)
class StudyPay:
    """An amount in units of its currency, such as 2.5, for a task or for an hour.

    ``bonus_percent`` comes on top of it. ``version`` is that of the terms that were agreed on; None where it is only
    what annotators are told.
    """

    amount: float
    by: PaidBy
    currency: str
    bonus_percent: int = 0
    version: int | None = None

    @property
    def where(self) -> str:
        """Where it stands, in a sentence."""
        if self.version is None:
            return _("Pay starts with what the study tells annotators on its page People.")
        return _("Pay starts with what was agreed on the study's page Pay (version {number}).").format(
            number=self.version
        )


Agreed = Callable[[Study], StudyPay | None]
_agreed: dict[str, Agreed] = {}


def add_agreed(name: str, agreed: Agreed) -> None:
    """Have plans start with what was agreed; rooms above bring it when they are set up (``AppConfig.ready``)."""
    _agreed[name] = agreed


def pay_of(study: Study) -> StudyPay | None:
    """None where neither anything was agreed nor an amount is told."""
    found = (agreed(study) for agreed in _agreed.values())
    return next((pay for pay in found if pay is not None), None) or told_pay(study.pay)


def told_pay(text: str) -> StudyPay | None:
    """The amount in what annotators are told, such as “€2.50 a task” or “$12 an hour”; None where it is another one.

    An amount with its currency comes before other numbers: “300円 for 1 task”. Three digits behind a point or a comma
    are thousands, unless a 0 stands before: “1.500 EUR”, “0.125 EUR”. Where it goes by the hour, or speaks besides a
    task of several ones or of other work, there must be one such amount only. There is none where it speaks of hours
    otherwise, of minutes, or of several tasks or other work alone: “paid within 24 hours”, “$10 for 5 tasks”,
    “$30 in total”, “$5 a batch”, “up to $5”; nor in a range or with a word for its zeros: “$2–3”, “1万円”.
    """
    found = list(_AMOUNT.finditer(text))
    with_currency = [each for each in found if each["before"] or each["after"]]
    is_by_hour = _BY_HOUR.search(text) is not None
    is_of_more = not is_by_hour and any(said.search(text) for said in (_OF_TASKS, _OF_OTHER_WORK))
    is_of_others = (
        _BY_MINUTE.search(text)
        or _NOT_AS_WRITTEN.search(text)
        or (_OF_HOURS.search(text) and not is_by_hour)
        or (is_of_more and not _BY_TASK.search(text))
    )
    if not found or is_of_others or ((is_by_hour or is_of_more) and len(with_currency) != 1):
        return None
    told = (with_currency or found)[0]
    amount = told["sum"].replace(told["between"], "") if told["between"] else told["sum"]
    currency = told["before"] or told["after"] or ""
    return StudyPay(float(amount.replace(",", ".")), "hour" if is_by_hour else "task", currency)
