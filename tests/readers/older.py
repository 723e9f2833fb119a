"""Makes the evaluations in `results` as older versions wrote them: without the columns that say what was
decided on the gold passages and what was retrieved."""

import glob
import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

folders = glob.glob("results/evaluation_id=*")
assert folders
for folder in folders:
    path = folder + "/cases/part-00000.parquet"
    table = pq.read_table(path, partitioning=None)
    newer = ["isolated_abstained", "isolated_error", "retrieved", "relevant"]
    table = table.drop_columns([name for name in newer if name in table.column_names])
    place = table.column_names.index("hits")
    hit = pa.struct([("passage_id", pa.string()), ("rank", pa.int32()), ("score", pa.float64()), ("grade", pa.int32()), ("seen", pa.bool_())])
    fields = [field.name for field in hit]
    hits = [hits and [{name: h[name] for name in fields} for h in hits] for hits in table["hits"].to_pylist()]
    table = table.set_column(place, "hits", pa.array(hits, pa.list_(hit)))
    pq.write_table(table, path)
    manifest = json.load(open(folder + "/manifest.json"))
    for part in manifest["parts"]:
        if part["path"] == "cases/part-00000.parquet":
            part["digest"] = "sha256:" + hashlib.sha256(open(path, "rb").read()).hexdigest()
    manifest.pop("judgments", None)
    json.dump(manifest, open(folder + "/manifest.json", "w"))
