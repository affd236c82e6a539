"""Has lm-evaluation-harness write results and samples by its own tracker, from those that a run of it wrote before."""

import json
import sys
from pathlib import Path

from lm_eval.loggers import EvaluationTracker

given = Path(sys.argv[1])
(results,) = given.glob("results_*.json")
told = json.loads(results.read_text())
samples = {}
for path in sorted(given.glob("samples_*.jsonl")):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:  # the tracker names arguments itself
        row["arguments"] = [tuple(each.values()) for each in row["arguments"].values()]
    samples[path.name.split("_")[1]] = rows
tracker = EvaluationTracker(output_path="out")
tracker.general_config_tracker.model_name = told["model_name"]
tracker.general_config_tracker.model_name_sanitized = told["model_name_sanitized"]
tracker.save_results_aggregated(results=told, samples=samples)
for task, rows in samples.items():
    tracker.save_results_samples(task_name=task, samples=rows)
