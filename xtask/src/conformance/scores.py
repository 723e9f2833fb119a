"""Prints the scores of an evaluation as JSON: column to example to value."""

import json
import sys

import pyarrow.dataset as ds

table = ds.dataset(sys.argv[1] + "/scores", format="parquet").to_table()
ids = table["example_id"].to_pylist()
columns = {
    field.name: dict(zip(ids, table[field.name].to_pylist()))
    for field in table.schema
    if str(field.type) == "double"
}
json.dump(columns, sys.stdout)
