"""Makes openai_evals/*.jsonl with OpenAI evals 3.0.1.post1: its own eval ``Match``, recorder and report, over three
questions of ours and a completion function that answers from a list. Not part of the tests; run it as

    OPENAI_API_KEY=none EVALS_SEQUENTIAL=1 python make_openai_evals.py FOLDER
"""

import json
import sys
from pathlib import Path

from evals.base import RunSpec
from evals.elsuite.basic.match import Match
from evals.record import LocalRecorder, record_function_call, record_sampling
from evals.registry import Registry

SAMPLES = [
    {
        "input": [{"role": "system", "content": "Answer briefly."}, {"role": "user", "content": "Why does ice float?"}],
        "ideal": "It is lighter than water.",
    },
    {
        "input": [
            {"role": "user", "content": "What pulls at the sea?"},
            {"role": "assistant", "content": "The moon."},
            {"role": "user", "content": "And what else?"},
        ],
        "ideal": ["The sun.", "The sun"],
    },
    {"input": "Q: How tall is the tower? A:", "ideal": "20 m"},
]
ANSWERS = {
    "alder": {
        "Why does ice float?": "It is lighter than water.",
        "And what else?": "The sun.",
        "Q: How tall is the tower? A:": "20 m",
    },
    "birch": {"Why does ice float?": "Magic.", "And what else?": "Nothing.", "Q: How tall is the tower? A:": ""},
}


class Result:
    def __init__(self, said):
        self.said = said

    def get_completions(self):
        return [self.said]


class Listed:
    def __init__(self, name):
        self.name = name

    def __call__(self, prompt, **kwargs):
        asked = prompt if isinstance(prompt, str) else prompt[-1]["content"]
        said = ANSWERS[self.name][asked]
        if "tower" in asked and self.name == "alder":
            record_function_call("look_up", '{"what": "tower"}', "The tower: 20 m")
        record_sampling(prompt=prompt, sampled=[said], model=self.name, usage={"total_tokens": 7})
        return Result(said)


def run(folder, name):
    samples = folder / "samples.jsonl"
    samples.write_text("".join(json.dumps(each) + "\n" for each in SAMPLES))
    spec = RunSpec(
        completion_fns=[name],
        eval_name="water.dev.v0",
        base_eval="water",
        split="dev",
        run_config={"seed": 1},
        created_by="",
    )
    recorder = LocalRecorder(str(folder / f"{name}.jsonl"), spec)
    tried = Match(
        completion_fns=[Listed(name)],
        samples_jsonl=str(samples),
        name="water.dev.v0",
        eval_registry_path=folder,
        registry=Registry(),
    )
    report = tried.run(recorder)
    recorder.record_final_report(report)
    recorder.flush_events()
    samples.unlink()


if __name__ == "__main__":
    for name in ANSWERS:
        run(Path(sys.argv[1]), name)
