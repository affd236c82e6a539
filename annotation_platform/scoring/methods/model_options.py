"""What may be set for any run that asks a language model through the gateway."""

from django.conf import settings

from annotation_platform.scoring.methods.contract import Option, OptionKind
from annotation_platform.scoring.models import ModelConnection, Scorer
from annotation_platform.studies.models import Study

ASKS_A_MODEL = (Scorer.OPENAI, Scorer.HYBRID)


def model_options(study: Study) -> tuple[Option, ...]:
    """Which model, and how it is asked. Its pace and prices are the connection's."""
    return (
        connection_option(study),
        Option(
            "temperature",
            "Temperature",
            OptionKind.NUMBER,
            help="Emptied, none is sent: the server takes its own.",
            initial="0",
            scorers=ASKS_A_MODEL,
        ),
        Option(
            "max_tokens",
            "Longest reply",
            OptionKind.WHOLE,
            help="In tokens; a reply that is cut off can often not be read. Emptied, no limit is sent; a budget needs "
            "one.",
            initial="512",
            scorers=ASKS_A_MODEL,
        ),
        Option(
            "mode",
            "How requests are sent",
            OptionKind.CHOICE,
            (
                ("direct", "One by one, answered at once"),
                ("batch", "By the server's Batch API: mostly cheaper, up to a day"),
            ),
            scorers=ASKS_A_MODEL,
            is_rare=True,
        ),
        Option(
            "seed",
            "Seed",
            OptionKind.WHOLE,
            help="Sent along, for servers that know it; repetitions count up from it.",
            usual="none is sent",
            scorers=ASKS_A_MODEL,
            is_rare=True,
        ),
        Option(
            "max_run_tokens",
            "Limit on tokens",
            OptionKind.WHOLE,
            help="In and out; the run pauses before it has more, as at a budget.",
            usual="no limit",
            scorers=ASKS_A_MODEL,
            is_rare=True,
        ),
    )


def connection_option(study: Study) -> Option:
    connections = ModelConnection.objects.usable_in(study).values_list("name", "model")
    servers = (
        ("", f"The server's environment: {settings.OPENAI_MODEL or 'it names no model (OPENAI_MODEL)'}"),
        *((name, f"{name}: {model}") for name, model in connections),
    )
    return Option(
        "connection",
        "Model connection",
        OptionKind.CHOICE,
        servers,
        initial=study.scoring_connection,
        scorers=ASKS_A_MODEL,
    )
