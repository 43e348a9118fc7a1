# SPDX-License-Identifier: Apache-2.0
"""A server with TLS, whose certificate no client of a task trusts."""
import subprocess

import pytest

from support.cluster import Cluster

ROLE = {"taskRoleArn": "arn:aws:iam::000000000000:role/task"}
# A stock client: SQS, S3 with a body that is sent in pieces, and a long poll.
PROGRAM = """
import boto3, os
url = os.environ["AWS_ENDPOINT_URL"]
sqs, s3 = (boto3.client(name, endpoint_url=url) for name in ("sqs", "s3"))
queue = sqs.create_queue(QueueName="inside")["QueueUrl"]
sqs.send_message(QueueUrl=queue, MessageBody="hello")
print(sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=20)["Messages"][0]["Body"])
s3.create_bucket(Bucket="inside")
s3.put_object(Bucket="inside", Key="k", Body=b"x" * 3000000)
print(len(s3.get_object(Bucket="inside", Key="k")["Body"].read()))
"""


@pytest.fixture
def secured(tmp_path, monkeypatch):
    certificate, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command.split(), *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    monkeypatch.setenv("AWS_CA_BUNDLE", certificate)  # for the clients of this test
    with Cluster(arguments=["--tls-cert", certificate, "--tls-key", key]) as made:
        assert made.server.endpoint.startswith("https://")
        yield made, ["--ca", certificate]


def test_tasks_reach_the_api_with_stock_clients(secured, driver):
    fleet, arguments = secured
    fleet.add("box", driver=driver, arguments=arguments)
    if driver == "docker":
        # The image has no boto3: what the client connects to must answer.
        shell, expected = 'wget -qO- "$AWS_ENDPOINT_URL/health" > /dev/null && echo reached', "reached\n"
    else:
        shell, expected = f"/usr/bin/python3 -c '{PROGRAM}'", "hello\n3000000\n"
    task = fleet.run(fleet.define(shell, driver=driver, memory=512, task=ROLE))
    done = fleet.wait_for(task, "STOPPED")
    assert fleet.logs(task) == expected, done
