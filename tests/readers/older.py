"""Makes the evaluations in `results` as older versions wrote them: without the columns that say what was
decided on the gold passages."""

import glob
import hashlib
import json

import pyarrow.parquet as pq

folders = glob.glob("results/evaluation_id=*")
assert folders
for folder in folders:
    path = folder + "/cases/part-00000.parquet"
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.drop_columns(["isolated_abstained", "isolated_error"]), path)
    manifest = json.load(open(folder + "/manifest.json"))
    for part in manifest["parts"]:
        if part["path"] == "cases/part-00000.parquet":
            part["digest"] = "sha256:" + hashlib.sha256(open(path, "rb").read()).hexdigest()
    json.dump(manifest, open(folder + "/manifest.json", "w"))
