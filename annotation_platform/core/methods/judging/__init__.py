"""LLM judging by aspect: prompts generated from any scheme, and the labels that they offer.

For "is this a label that the reply gives?" see :mod:`annotation_platform.core.methods.extraction`.
"""

from annotation_platform.core.methods.judging.format import Format, JudgeFormat, JudgePrompt, Variant, judge_prompts
from annotation_platform.core.methods.judging.labels import Option
from annotation_platform.core.methods.judging.questions import (
    Call,
    Calling,
    Question,
    ReplyForm,
    calls,
    questions,
    render_reply,
    reply_schema,
)

__all__ = [
    "Call",
    "Calling",
    "Format",
    "JudgeFormat",
    "JudgePrompt",
    "Option",
    "Question",
    "ReplyForm",
    "Variant",
    "calls",
    "judge_prompts",
    "questions",
    "render_reply",
    "reply_schema",
]
