"""Write one ``user_state.json`` for each of two annotators with Potato's own state (potato-annotation 2.12.1).

``pip install potato-annotation==2.12.1``, then ``python make.py``. ``config.yaml`` and ``items.jsonl`` are what
Potato is started with.
"""

from pathlib import Path

from potato.interaction_tracking import BehavioralData
from potato.item_state_management import Label, SpanAnnotation
from potato.phase import UserPhase
from potato.user_state_management import InMemoryUserState

HERE = Path(__file__).parent


def state(user: str, labels: dict[str, list[tuple[str, str, str]]], spans: list[tuple[str, str, int, int]]) -> None:
    said = InMemoryUserState(user)
    said.current_phase_and_page = (UserPhase.ANNOTATION, "")
    for item, given in labels.items():
        for schema, name, value in given:
            said.add_label_annotation(item, Label(schema, name), value)
        said.instance_id_to_behavioral_data[item] = BehavioralData(instance_id=item, total_time_ms=4_500)
    for item, name, start, end in spans:
        said.add_span_annotation(item, SpanAnnotation("facts", name, name, start, end), "true")
    said.save(str(HERE / "annotation_output" / user))


state(
    "wren@example.org",
    {
        "i1": [
            ("sentiment", "Friendly", "Friendly"),
            ("topics", "Water", "Water"),
            ("topics", "Sky", "Sky"),
            ("clarity", "4", "4"),
            ("remark", "text_box", "Tides, too."),
        ],
        "i2": [("sentiment", "neutral", "neutral"), ("clarity", "2", "2")],
    },
    [("i1", "Fact", 4, 8), ("i2", "Guess", 12, 19)],
)
state("lark", {"i1": [("sentiment", "Rude", "Rude"), ("clarity", "3", "3")]}, [])
