"""Write ``settings.json`` and ``records.json`` as a dataset of Argilla's own is written to disk (argilla 2.8.0).

``pip install argilla==2.8.0 requests``, then ``python make.py``. Settings and records write themselves; a server is
only asked who one is, which the few lines of one here answer.
"""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from uuid import UUID

import argilla as rg
from argilla.records._io import JsonIO

HERE = Path(__file__).parent
WREN, LARK = (UUID(int=number, version=4) for number in (1, 2))


class Me(BaseHTTPRequestHandler):
    """Answers who one is."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        me = {"id": str(WREN), "username": "wren", "role": "owner", "first_name": "Wren", "last_name": None}
        self.wfile.write(json.dumps(me).encode())


server = HTTPServer(("127.0.0.1", 0), Me)
Thread(target=server.serve_forever, daemon=True).start()
rg.Argilla(api_url=f"http://127.0.0.1:{server.server_port}", api_key="any")

settings = rg.Settings(
    guidelines="Judge the answer.",
    fields=[
        rg.TextField(name="prompt", title="What was asked"),
        rg.TextField(name="first"),
        rg.TextField(name="second"),
        rg.ImageField(name="picture", required=False),
    ],
    questions=[
        rg.LabelQuestion(name="fit", title="Does it fit?", labels={"y": "Yes, it does", "n": "No"}),
        rg.MultiLabelQuestion(name="faults", labels=["Too long", "Wrong", "Rude"], required=False),
        rg.RatingQuestion(name="stars", values=[1, 2, 3, 4, 5], description="Five is best."),
        rg.RankingQuestion(name="order", values=["first", "second"], required=False),
        rg.TextQuestion(name="comment", required=False),
        rg.SpanQuestion(name="spans", field="first", labels=["Fact"], required=False),
    ],
)
rows = [("Why does ice float?", "It is lighter.", "It is cold."), ("What pulls the sea?", "The moon.", "The wind.")]
records = [
    rg.Record(
        id=f"r{number}",
        fields={"prompt": prompt, "first": first, "second": second},
        metadata={"source": "quiz"},
        responses=[
            rg.Response("fit", "y", user_id=WREN),
            rg.Response("stars", 4, user_id=WREN),
            rg.Response("order", [{"value": "first", "rank": 1}, {"value": "second", "rank": 2}], user_id=WREN),
            rg.Response("comment", "Short.", user_id=WREN),
            rg.Response("spans", [{"start": 0, "end": 2, "label": "Fact"}], user_id=WREN),
            rg.Response("fit", "n", user_id=LARK),
            rg.Response("faults", ["Wrong", "Rude"], user_id=LARK),
            rg.Response("stars", 2, user_id=LARK),
        ],
        suggestions=[rg.Suggestion("fit", "y", agent="model")],
    )
    for number, (prompt, first, second) in enumerate(rows, start=1)
]
for name in ("settings.json", "records.json"):
    (HERE / name).unlink(missing_ok=True)
settings.to_json(HERE / "settings.json")
JsonIO.to_json(records, HERE / "records.json")
