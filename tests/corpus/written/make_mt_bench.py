"""Makes mt_bench/ with FastChat 0.2.36 (openai 0.28.1): its own ``gen_api_answer`` and ``gen_judgment`` on two
questions of ours, against a server that answers as the two models and the judge do. Judge prompts are short ones of
ours, since the package comes without its own. Not part of the tests; run it in an empty folder as
``python make_mt_bench.py``, and take ``data/mt_bench``.
"""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

QUESTIONS = [
    {"question_id": 81, "category": "writing", "turns": ["Why does ice float?", "Say it to a child."]},
    {"question_id": 82, "category": "math", "turns": ["What is 3 + 4?", "And twice that?"], "reference": ["7", "14"]},
]
SAID = {
    "alder": {
        "Why does ice float?": "It is lighter than water.",
        "Say it to a child.": "Ice swims, as cork does.",
        "What is 3 + 4?": "7",
        "And twice that?": "14",
    },
    "birch": {
        "Why does ice float?": "Magic.",
        "Say it to a child.": "Magic, child.",
        "What is 3 + 4?": "8",
        "And twice that?": "16",
    },
}
GPT4 = {"What is 3 + 4?": "7", "And twice that?": "14"}  # the reference answers, under the judge's name
SINGLE = {"type": "single", "system_prompt": "You judge.", "category": "general", "output_format": "[[rating]]"}
PAIR = {"type": "pairwise", "system_prompt": "You compare.", "category": "general", "output_format": "[[A]]"}
MT_ONE = "{question_1} {answer_1} {question_2} {answer_2}"
MT_TWO = "A: {question_1} {answer_a_1} {question_2} {answer_a_2} B: {answer_b_1} {answer_b_2}"
PROMPTS = [
    SINGLE | {"name": "single-v1", "prompt_template": "{question} {answer}"},
    SINGLE | {"name": "single-math-v1", "prompt_template": "{ref_answer_1} {question} {answer}"},
    SINGLE | {"name": "single-v1-multi-turn", "prompt_template": MT_ONE},
    SINGLE | {"name": "single-math-v1-multi-turn", "prompt_template": "{ref_answer_1} {ref_answer_2} " + MT_ONE},
    PAIR | {"name": "pair-v2", "prompt_template": "A: {question} {answer_a} B: {answer_b}"},
    PAIR | {"name": "pair-math-v1", "prompt_template": "{ref_answer_1} A: {question} {answer_a} B: {answer_b}"},
    PAIR | {"name": "pair-v2-multi-turn", "prompt_template": MT_TWO},
    PAIR | {"name": "pair-math-v1-multi-turn", "prompt_template": "{ref_answer_1} {ref_answer_2} " + MT_TWO},
]


def reply(model, prompt):
    if model in SAID:
        return SAID[model][prompt]
    if "A:" not in prompt:
        return "Wrong. Rating: [[2]]" if "Magic" in prompt or " 8" in prompt else "Right. Rating: [[9]]"
    if "math" in prompt or " 3 + 4" in prompt:
        return "A is first. [[A]]" if "16" in prompt else "Both will do. [[C]]"  # takes the first one at turn 2
    return "A is right. [[A]]" if prompt.index("Magic") > prompt.index("B:") else "B is right. [[B]]"


class Models(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"role": "assistant", "content": reply(asked["model"], asked["messages"][-1]["content"])}
        body = json.dumps({"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": said}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *said):
        pass


def main():
    bench = Path("data/mt_bench")
    bench.mkdir(parents=True)
    (bench / "question.jsonl").write_text("".join(json.dumps(each) + "\n" for each in QUESTIONS))
    Path("data/judge_prompts.jsonl").write_text("".join(json.dumps(each) + "\n" for each in PROMPTS))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    env = os.environ | {"OPENAI_API_KEY": "none", "OPENAI_API_BASE": address}

    def run(module, *options):
        subprocess.run(
            [sys.executable, "-m", f"fastchat.llm_judge.{module}", *options], check=True, env=env, input=b"\n"
        )

    for model in SAID:
        run("gen_api_answer", "--model", model)
    SAID["gpt-4"] = GPT4 | dict.fromkeys(QUESTIONS[0]["turns"], "-")
    run("gen_api_answer", "--model", "gpt-4", "--answer-file", "data/mt_bench/reference_answer/gpt-4.jsonl")
    del SAID["gpt-4"]
    for mode in ("single", "pairwise-all"):
        run("gen_judgment", "--mode", mode, "--model-list", *SAID)
    server.shutdown()


if __name__ == "__main__":
    main()
