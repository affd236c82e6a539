"""What may be set for any run that asks a language model through the gateway."""

from annotation_platform.scoring.methods.contract import Option, OptionKind
from annotation_platform.scoring.models import ModelConnection, Scorer

ASKS_A_MODEL = (Scorer.OPENAI, Scorer.HYBRID)


def model_options() -> tuple[Option, ...]:
    """Which model, and how it is asked."""
    connections = ModelConnection.objects.filter(is_active=True).values_list("name", "model")
    servers = (
        ("", "The server's environment (OPENAI_MODEL)"),
        *((name, f"{name}: {model}") for name, model in connections),
    )
    return (
        Option("connection", "Model connection", OptionKind.CHOICE, servers, scorers=ASKS_A_MODEL),
        Option("temperature", "Temperature", OptionKind.NUMBER, usual="0", scorers=ASKS_A_MODEL),
        Option(
            "max_tokens",
            "Longest reply",
            OptionKind.WHOLE,
            help="In tokens; a reply that is cut off can often not be read.",
            usual="512",
            scorers=ASKS_A_MODEL,
        ),
    )
