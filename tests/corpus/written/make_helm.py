"""Makes helm/ with HELM 0.5.16 (crfm-helm): its own runner, adapters and metrics, on two questions of ours with
choices and two chats, and a client that answers from a list. Not part of the tests; run it as

    PYTHONPATH=FOLDER_OF_THIS_FILE python make_helm.py FOLDER
"""

import shutil
import sys
from pathlib import Path

from helm.benchmark.adaptation.adapter_spec import ADAPT_CHAT, AdapterSpec
from helm.benchmark.adaptation.common_adapter_specs import get_multiple_choice_joint_adapter_spec
from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.metrics.common_metric_specs import get_exact_match_metric_specs
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import Runner
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.benchmark.tokenizer_config_registry import TokenizerConfig, TokenizerSpec, register_tokenizer_config
from helm.clients.client import Client
from helm.common.authentication import Authentication
from helm.common.request import GeneratedOutput, RequestResult

SAID = {
    "alder": {"Why does ice float?": "B", "What floats?": " A", "And what else?": "The sun.", "Is it cold?": "Yes."},
    "birch": {"Why does ice float?": "A", "What floats?": "A cork", "And what else?": "Nothing.", "Is it cold?": "No."},
}


class Listed(Client):
    def make_request(self, request):
        said = SAID[request.model.partition("/")[2]]
        asked = request.messages[-1]["content"] if request.messages else request.prompt
        reply = said[max((each for each in said if each in asked), key=asked.rindex)]
        return RequestResult(
            success=True,
            cached=False,
            request_time=0.1,
            embedding=[],
            completions=[GeneratedOutput(text=reply, logprob=0, tokens=[])],
        )


class Water(Scenario):
    name, description, tags = "water", "Water", []

    def get_instances(self, output_path):
        asked = {"Why does ice float?": ("It is heavy.", "It is lighter than water."), "What floats?": ("cork", "iron")}
        right = {"It is lighter than water.", "cork"}
        return [
            Instance(
                Input(text=question),
                split=TEST_SPLIT,
                references=[
                    Reference(Output(text=text), tags=[CORRECT_TAG] if text in right else []) for text in choices
                ],
            )
            for question, choices in asked.items()
        ]


class Chats(Scenario):
    name, description, tags = "chats", "Chats", []

    def get_instances(self, output_path):
        talks = [
            [("user", "What pulls at the sea?"), ("assistant", "The moon."), ("user", "And what else?")],
            [("system", "Answer briefly."), ("user", "Is it cold?")],
        ]
        references = [Reference(Output(text="The sun."), tags=[CORRECT_TAG])]
        return [
            Instance(
                Input(messages=[{"role": role, "content": said} for role, said in talk]),
                split=TEST_SPLIT,
                references=references if place == 0 else [],
            )
            for place, talk in enumerate(talks)
        ]


def main(folder):
    register_tokenizer_config(
        TokenizerConfig("water/words", TokenizerSpec("helm.tokenizers.simple_tokenizer.SimpleTokenizer"))
    )
    runs = []
    for name in SAID:
        model = f"water/{name}"
        register_model_deployment(
            ModelDeployment(model, ClientSpec("make_helm.Listed"), model, "water/words", max_sequence_length=2048)
        )
        joint = get_multiple_choice_joint_adapter_spec(
            "Answer with a letter.", "Question", "Answer", max_train_instances=0
        )
        chat = AdapterSpec(method=ADAPT_CHAT, max_train_instances=0)
        for scenario, adapter in (("Water", joint), ("Chats", chat)):
            runs.append(
                RunSpec(
                    name=f"{scenario.lower()}:level=1,model=water_{name}",
                    scenario_spec=ScenarioSpec(f"make_helm.{scenario}"),
                    adapter_spec=type(adapter)(**{**vars(adapter), "model": model, "model_deployment": model}),
                    metric_specs=get_exact_match_metric_specs(),
                    groups=["water"],
                )
            )
    made = folder / "made"
    spec = ExecutionSpec(url=None, auth=Authentication(""), local_path=str(made / "local"), parallelism=1)
    Runner(spec, str(made), "suite", False, False, False, False, True).run_all(runs)
    for run in (made / "runs" / "suite").iterdir():
        if run.is_dir() and (run / "scenario_state.json").exists():
            (folder / run.name).mkdir()
            for name in ("run_spec.json", "scenario_state.json", "per_instance_stats.json"):
                shutil.copy(run / name, folder / run.name / name)
    shutil.rmtree(made)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
