"""Changes a number of the summaries of the only evaluation in `results`, and its digest with it:
`tampered.py COLUMN METRIC`."""

import glob
import hashlib
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

column, metric = sys.argv[1:]
(folder,) = glob.glob("results/evaluation_id=*")
path = folder + "/summaries.parquet"
table = pq.read_table(path, partitioning=None)
footer = pq.read_metadata(path).metadata
own = {key: text for key, text in footer.items() if key.startswith(b"qeval.")}
values = table[column].to_pylist()
row = table["metric"].to_pylist().index(metric)
values[row] = values[row] - 1 if column == "n" else values[row] + 0.25
place = table.column_names.index(column)
changed = table.set_column(place, table.schema.field(place), pa.array(values, table.schema.field(place).type))
pq.write_table(changed.replace_schema_metadata(own), path)
manifest = json.load(open(folder + "/manifest.json"))
for part in manifest["parts"]:
    if part["path"] == "summaries.parquet":
        part["digest"] = "sha256:" + hashlib.sha256(open(path, "rb").read()).hexdigest()
json.dump(manifest, open(folder + "/manifest.json", "w"))
