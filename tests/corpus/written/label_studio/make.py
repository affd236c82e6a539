"""Write ``min.json`` and ``min.csv`` with Label Studio's own converter (label-studio-sdk 2.1.2).

``pip install label-studio-sdk==2.1.2``, then ``python make.py``. It reads ``config.xml`` and ``tasks.json``.
"""

import shutil
import tempfile
from pathlib import Path

from label_studio_sdk.converter import Converter

HERE = Path(__file__).parent

converter = Converter(str(HERE / "config.xml"), project_dir=None, upload_dir=None)
with tempfile.TemporaryDirectory() as folder:
    converter.convert_to_json_min(str(HERE / "tasks.json"), folder, is_dir=False)
    shutil.copy(Path(folder) / "result.json", HERE / "min.json")
    converter.convert_to_csv(str(HERE / "tasks.json"), folder, is_dir=False, header=True, sep=",")
    shutil.copy(Path(folder) / "result.csv", HERE / "min.csv")
