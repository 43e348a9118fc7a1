# SPDX-License-Identifier: Apache-2.0
"""GETs of the query protocol by clients that prefer JSON, such as curl with an Accept header."""
import json
import urllib.error
import urllib.parse
import urllib.request

import botocore.auth
import botocore.awsrequest
import pytest

from support.queues import unique_name


@pytest.fixture
def get(connect):
    """get(url, accept, parameters) -> (status, content type, body)"""
    sqs = connect("sqs")

    def send(url, accept, **parameters):
        target = url + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
        request = botocore.awsrequest.AWSRequest("GET", target, headers={"Accept": accept} if accept else {})
        credentials = sqs._request_signer._credentials.get_frozen_credentials()
        botocore.auth.SigV4Auth(credentials, "sqs", sqs.meta.region_name).add_auth(request)
        try:
            with urllib.request.urlopen(urllib.request.Request(target, headers=dict(request.headers))) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers["Content-Type"], answer.read()

    return send


@pytest.fixture
def url(connect):
    sqs = connect("sqs")
    made = sqs.create_queue(QueueName=unique_name())["QueueUrl"]
    yield made
    sqs.delete_queue(QueueUrl=made)


def test_answers_are_json_for_clients_that_prefer_it(connect, get, url):
    connect("sqs").send_message(QueueUrl=url, MessageBody="hello")
    status, kind, body = get(url, "application/json", Action="GetQueueAttributes", **{"AttributeName.1": "QueueArn"})
    assert (status, kind) == (200, "application/json"), body
    [attribute] = json.loads(body)["GetQueueAttributesResponse"]["GetQueueAttributesResult"]["Attributes"]
    assert attribute["Name"] == "QueueArn" and attribute["Value"].endswith(url.rsplit("/", 1)[1])
    body = get(url, "application/json", Action="ReceiveMessage", WaitTimeSeconds=20)[2]
    assert json.loads(body)["ReceiveMessageResponse"]["ReceiveMessageResult"]["messages"][0]["Body"] == "hello"


def test_errors_are_json_too(get, url):
    status, _, body = get(url, "application/json", Action="SetQueueAttributes", **{"Attribute.1.Name": "Nonsense",
                                                                                "Attribute.1.Value": "1"})
    error = json.loads(body)["Error"]
    assert status == 400 and error["Code"] == "InvalidAttributeName" and error["Message"], body


def test_answers_are_xml_otherwise(get, url):
    for accept in (None, "text/xml", "*/*"):
        _, kind, body = get(url, accept, Action="GetQueueAttributes", **{"AttributeName.1": "QueueArn"})
        assert kind == "text/xml" and b"<GetQueueAttributesResponse" in body
    status, _, body = get(url, "application/json")
    assert status == 404 and b"<UnknownOperationException" in body
