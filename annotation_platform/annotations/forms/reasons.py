"""What the scheme's check and the services say, which know one language only, in the reader's."""

import re
from functools import cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

REASONS = (
    gettext_noop("Choose one."),
    gettext_noop("“{value}” is not one of the choices ({keys})."),
    gettext_noop("Choose some, or say “{none}”."),
    gettext_noop("Choose some."),
    gettext_noop("Choose at least one."),
    gettext_noop("Please write something here."),
    gettext_noop("Say in a few words why you cannot judge this."),
    gettext_noop("Please write at least {least} characters; there are {length}."),
    gettext_noop("This is {length} characters long; at most {most} fit. Shorten it."),
    gettext_noop("Cite the sentences, or say “{none}”."),
    gettext_noop("Cite at least one sentence."),
    gettext_noop("“{piece}” is not a sentence number. Write numbers like 3, 5-7."),
    gettext_noop("“{piece}” is not a sentence number. Write numbers like R1:2, R1:5-7."),
    gettext_noop("“{piece}” runs backwards. Write the smaller number first."),
    gettext_noop("“{piece}” is too long a range."),
    gettext_noop("There is no sentence {number}. Numbers lie between 1 and {count}."),
    gettext_noop("There is no sentence {number}. Numbers lie above 0."),
    gettext_noop("Say in which reference document sentence {number} stands, like R1:{same}."),
    gettext_noop("There is no reference document R{document}. There are: none."),
    gettext_noop("There is no reference document R{document}. There are: R1 to R{last}."),
    gettext_noop("This scheme has no such aspect."),
    gettext_noop(
        "Your time for this task ran out and somebody else has it now. What you wrote is kept in your drafts."
    ),
    gettext_noop("This task was given back and is not yours any more. What you wrote is kept."),
    gettext_noop("This batch has closed and takes no more judgments. What you wrote is kept."),
    gettext_noop("The deadline has passed: no more judgments are taken. What you wrote is kept."),
    gettext_noop("The questions have changed since this page was loaded. Please look through them."),
    gettext_noop("This is more than {limit} characters; it cannot be saved as a draft."),
    gettext_noop("The message is empty. Write a word or two first."),
    gettext_noop("There is no such task, or it is not yours."),
    gettext_noop("This task has no such question."),
    gettext_noop("There is no such study, or it is not open to you."),
    gettext_noop("Only annotators of a study take its tasks."),
    gettext_noop("There is no task for you at the moment. Please look in again later."),
    gettext_noop("The message has {length} characters; at most {most} fit. Shorten it."),
)


def in_language(reason: str) -> str:
    """A reason from below in the reader's language, if it is one of `REASONS`."""
    for template, pattern in _patterns():
        if match := pattern.fullmatch(reason):
            return _(template).format(**match.groupdict())
    return reason


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (template, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(template)), re.DOTALL))
        for template in REASONS
    ]
