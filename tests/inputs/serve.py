"""Serves files as objects of the bucket `data`, as S3 does, until its standard input ends."""

import sys

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
address = f"http://{host}:{port}"
client = boto3.client(
    "s3",
    endpoint_url=address,
    region_name="us-east-1",
    aws_access_key_id="id",
    aws_secret_access_key="secret",
)
client.create_bucket(Bucket="data")
for name in sys.argv[1:]:
    client.upload_file(name, "data", f"sets/{name}")
print(address, flush=True)
sys.stdin.read()
server.stop()
