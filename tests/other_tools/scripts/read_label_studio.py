"""Checks ``config.xml`` and ``tasks.json`` of this folder as Label Studio does, and has its converter read them."""

import json
import tempfile
from pathlib import Path

from label_studio_sdk.converter import Converter
from label_studio_sdk.label_interface import LabelInterface

form = LabelInterface(Path("config.xml").read_text(encoding="utf-8"))
form.validate()
(task,) = json.loads(Path("tasks.json").read_text(encoding="utf-8"))
assert form.validate_task({"data": task["data"]})
for number, annotation in enumerate(task["annotations"], start=1):
    assert form._validate_object(annotation, return_errors=True) == []
    annotation |= {"id": number, "completed_by": number}
Path("converted.json").write_text(json.dumps([task | {"id": 1}]), encoding="utf-8")
with tempfile.TemporaryDirectory() as folder:
    converter = Converter("config.xml", project_dir=None, upload_dir=None)
    converter.convert_to_json_min("converted.json", folder, is_dir=False)
    rows = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))
print(json.dumps(next(row for row in rows if "fit" in row)))
