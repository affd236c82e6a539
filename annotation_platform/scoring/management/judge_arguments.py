"""What the command line may say of runs that ask a model by aspect; the names are those of their parameters."""

from argparse import BooleanOptionalAction

from django.core.management.base import CommandParser

from annotation_platform.core.methods.judging import Calling, Format, ReplyForm
from annotation_platform.core.schemes.languages import LANGUAGES

JUDGE_OPTIONS = (
    "format",
    "calling",
    "examples",
    "form",
    "explain",
    "order_seed",
    "language",
    "repetitions",
    "second_reading",
    "weights_from",
    "reference",
    "language_model",
    "held_out_seed",
)


def add_judge_arguments(parser: CommandParser) -> None:
    judge = parser.add_argument_group("raters by aspect (--method judge, --method mate)")
    judge.add_argument("--format", choices=list(Format), help="of the prompt (verbatim: what people read)")
    judge.add_argument("--calling", choices=list(Calling), help="all aspects in a call, or one (judge; mate: single)")
    judge.add_argument("--examples", type=int, metavar="N", help="worked examples shown (verbatim: all; else 0)")
    judge.add_argument("--form", choices=list(ReplyForm), help="of the reply; json comes with a schema")
    judge.add_argument("--explain", action=BooleanOptionalAction, help="ask for reasons, too")
    judge.add_argument("--order-seed", type=int, metavar="SEED", help="of the shuffled and the paraphrased prompt (0)")
    judge.add_argument("--language", choices=LANGUAGES, help="of the prompt; default: the corpus's")
    judge.add_argument("--repetitions", type=int, metavar="N", help="how often each prompt is asked (1)")
    judge.add_argument("--second-reading", action=BooleanOptionalAction, help="of replies that the rules cannot read")
    mate = parser.add_argument_group("one score of several aspects (--method mate)")
    mate.add_argument("--weights-from", metavar="SLUG", help="study whose closed judgments the weights are fitted on")
    mate.add_argument("--reference", metavar="SYSTEM", help="whose answers ROUGE compares with; default: rated best")
    mate.add_argument("--language-model", metavar="NAME", help="installed model for perplexity and BERTScore")
    mate.add_argument("--held-out-seed", type=int, metavar="SEED", help="of the questions held out, and intervals (0)")
