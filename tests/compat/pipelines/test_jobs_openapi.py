# SPDX-License-Identifier: Apache-2.0
"""docs/openapi.yaml and the server agree: each path, method, status and schema is exercised, and no route is missing."""
import json
import pathlib
import re

import pytest

from support.job_api import Pipeline, Worker

yaml = pytest.importorskip("yaml")  # Debian's python3 has it

ROOT = pathlib.Path(__file__).parents[3]
DOCUMENT = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())
METHODS = ("get", "post", "put", "delete", "patch")


def resolve(node):
    while "$ref" in node:
        found = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name in ("integer", "number") and isinstance(value, bool))


def check(value, schema, where="$"):
    """The part of JSON Schema that the file uses."""
    schema = resolve(schema)
    unknown = schema.keys() - {"type", "required", "properties", "additionalProperties", "items", "enum", "pattern", "minLength",
                               "maxLength", "minimum", "maximum", "format", "anyOf", "description", "default"}
    assert not unknown, f"{where}: this checker lacks {unknown}"
    if "anyOf" in schema:
        failures = []
        for one in schema["anyOf"]:
            try:
                check(value, one, where)
                break
            except AssertionError as error:
                failures.append(str(error))
        else:
            raise AssertionError(f"{where}: {failures}")
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(is_type(value, name) for name in names), f"{where}: {value!r} is no {names}"
    if "enum" in schema:
        assert value in schema["enum"], f"{where}: {value!r} is not in {schema['enum']}"
    if isinstance(value, str):
        assert "pattern" not in schema or re.search(schema["pattern"], value), f"{where}: {value!r}"
        assert schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10**9), f"{where}: {value!r}"
        if schema.get("format") == "date-time":
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value), f"{where}: {value!r}"
    if is_type(value, "integer"):
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value), f"{where}: {value}"
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            check(item, schema["items"], f"{where}[{index}]")
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        assert set(schema.get("required", [])) <= value.keys(), f"{where}: {value.keys()}"
        for name, member in value.items():
            if name in properties:
                check(member, properties[name], f"{where}.{name}")
            else:
                assert more is not False, f"{where}.{name} is not in the file"
                if isinstance(more, dict):
                    check(member, more, f"{where}.{name}")


class Checked:
    """Requests whose answers must be as the file states. Keeps what it has seen."""

    def __init__(self, pipeline):
        self.pipeline, self.seen = pipeline, set()

    def __call__(self, path, method, names, query="", body=None, headers=None, **more):
        target = path.format(**names) + query
        answer = self.pipeline(method.upper(), target, body if method == "get" or body else body or b"", headers, **more)
        operation = DOCUMENT["paths"][path][method]
        assert str(answer.status) in operation["responses"], f"{method} {path}: {answer}"
        response = resolve(operation["responses"][str(answer.status)])
        kind = answer.headers["Content-Type"].split(";")[0]
        assert kind in response["content"], f"{method} {path} {answer.status}: {kind}"
        if kind.endswith("json"):
            check(answer.json, response["content"][kind]["schema"])
        for name in response.get("headers", {}):
            assert name in answer.headers, f"{method} {path} {answer.status} has no {name}"
        self.seen.add((path, method, str(answer.status)))
        return answer


@pytest.fixture(scope="module")
def s3(connect):
    return connect("s3")


def test_the_routes_are_those_of_the_file():
    rows = re.findall(r'\{"(GET|POST|PUT|DELETE|PATCH)", "([^"]+)", Action::', (ROOT / "src/doors/jobs/route.cc").read_text())
    served = {(method.lower(), path.replace("{p}", "{name}").replace("{j}", "{id}").replace("{d}", "{delivery}")) for method, path in rows}
    stated = {(method, path) for path, item in DOCUMENT["paths"].items() for method in METHODS if method in item}
    assert served == stated


def test_parameters_of_paths_are_declared():
    for path, item in DOCUMENT["paths"].items():
        declared = {resolve(one)["name"] for one in item.get("parameters", []) if resolve(one)["in"] == "path"}
        assert declared == set(re.findall(r"{(\w+)}", path)), path


def test_each_answer_of_the_file_is_given(server, s3, sqs):
    pipeline = Pipeline(server)
    worker, checked = Worker(pipeline, s3, sqs), Checked(pipeline)
    one, name = "/jobs/{id}", {"name": pipeline.name}
    submit = "/pipelines/{name}/jobs"
    hook = "http://127.0.0.1:1/nobody"

    # Jobs: new, the same, another, too large, invalid.
    assert checked(submit, "post", name, "?id=a&webhook=" + hook, b"x").status == 202
    assert checked(submit, "post", name, "?id=a", b"x").status == 200
    assert checked(submit, "post", name, "?id=a", b"y").status == 409
    assert checked(submit, "post", name, "?id=%2F", b"y").status == 400
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nx\r\n--b--\r\n'
    assert checked(submit, "post", name, "", form, {"Content-Type": "multipart/form-data; boundary=b"}).status == 202
    assert checked(submit, "post", name, "", b"{}", {"Content-Type": "application/json"}).status == 202
    assert too_large(pipeline, checked) == 413

    a = {"id": "a"}
    assert checked(one, "get", a).status == 200
    assert checked(one + "/result", "get", a).status == 409
    assert checked(one + "/retry", "post", a).status == 409
    worker.succeed(worker.receive())
    assert checked(one + "/result", "get", a).status == 200
    assert checked(one + "/cancel", "post", a).status == 409
    assert checked(one + "/events", "get", a).status == 200
    assert checked(one + "/events", "get", a, headers={"Last-Event-ID": "x"}).status == 400
    deliveries = checked(one + "/deliveries", "get", a).json["deliveries"]
    pending = {**a, "delivery": deliveries[0]["id"]}
    assert checked(one + "/deliveries/{delivery}/resend", "post", pending).status == 409
    assert checked(one + "/deliveries/{delivery}/resend", "post", {**a, "delivery": "0"}).status == 404
    other = {"id": checked("/jobs", "get", {}, "?status=QUEUED").json["jobs"][0]["task_id"]}
    assert checked(one + "/cancel", "post", other).status == 200
    assert checked(one + "/retry", "post", other).status == 202
    assert checked("/pipelines/{name}", "get", name).status == 200
    assert checked(submit, "get", name, "?limit=1").json["next_cursor"]
    assert checked(submit, "get", name, "?limit=0").status == 400
    assert checked("/jobs", "get", {}, "?status=x").status == 400
    assert checked("/pipelines/{name}/events", "get", name, headers={"Last-Event-ID": "x"}).status == 400
    ambiguous_ids(server, checked, a)
    resent(checked, a, s3, worker)
    stream = pipeline.events(f"/pipelines/{pipeline.name}/events")
    stream.close()
    checked.seen.add(("/pipelines/{name}/events", "get", "200"))

    # Everything without a key, and with names that do not exist.
    for path, item in DOCUMENT["paths"].items():
        for method in METHODS:
            if method in item:
                missing = {"name": "missing", "id": "missing", "delivery": "1"}
                assert checked(path, method, missing, body=b"x" if method == "post" else None, secret="stk_wrong").status == 401
                assert checked(path, method, missing, "?unknown=1", body=b"x" if method == "post" else None).status == 400
                if "{" in path:
                    assert checked(path, method, missing, body=b"x" if method == "post" else None).status == 404
    assert checked("/jobs", "get", {}, "?pipeline=missing").status == 404

    stated = {(path, method, status) for path, item in DOCUMENT["paths"].items() for method in METHODS if method in item
              for status in item[method]["responses"]}
    pipeline.delete()
    assert stated - checked.seen == set()


def too_large(pipeline, checked):
    """Announced, not sent."""
    import http.client
    connection = http.client.HTTPConnection("127.0.0.1", pipeline.server.port, timeout=300)
    connection.putrequest("POST", f"/pipelines/{pipeline.name}/jobs")
    for name, value in (("Authorization", f"Bearer {pipeline.secret}"), ("Content-Length", str(5 * 2**30 + 1))):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    check(json.loads(answer.read()), DOCUMENT["components"]["schemas"]["Problem"])
    connection.close()
    checked.seen.add(("/pipelines/{name}/jobs", "post", str(answer.status)))
    return answer.status


def ambiguous_ids(server, checked, names):
    """A signed request for an id that two pipelines have."""
    from support import sigv4
    from support.job_api import request
    from support.raw import Caller
    second = Pipeline(server)
    second.submit(b"x", {"id": names["id"]})
    caller = Caller(server)
    for path, method in (("/jobs/{id}", "GET"), ("/jobs/{id}/events", "GET"), ("/jobs/{id}/deliveries", "GET")):
        target = path.format(**names)
        fields = sigv4.signed_headers(caller.scope("pipelines"), method, target, {"Host": f"127.0.0.1:{server.port}"}, b"", None)
        answer = request(server.endpoint + target, method, headers=fields)
        assert answer.status == 409, answer
        check(answer.json, DOCUMENT["components"]["schemas"]["Problem"])
        checked.seen.add((path, method.lower(), "409"))
    second.delete()


def resent(checked, names, s3, worker):
    """A delivery that was given up: its receiver is gone."""
    import http.server
    import threading
    from support.waiting import eventually

    class Gone(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(410)
            self.end_headers()

        def log_message(self, *_):
            pass

    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gone)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{receiver.server_port}/"
    checked("/pipelines/{name}/jobs", "post", {"name": checked.pipeline.name}, f"?id=gone&priority=9&webhook={url}", b"gone")
    worker.succeed(worker.receive())
    gone = {"id": "gone"}

    def given_up():
        found = checked("/jobs/{id}/deliveries", "get", gone).json["deliveries"]
        return found[0] if found[0]["status"] == "FAILED" else None

    delivery = eventually(given_up)
    assert delivery["response_status"] == 410
    answer = checked("/jobs/{id}/deliveries/{delivery}/resend", "post", {**gone, "delivery": delivery["id"]})
    assert answer.status == 202
    receiver.shutdown()
    receiver.server_close()
