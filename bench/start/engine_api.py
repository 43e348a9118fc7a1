# SPDX-License-Identifier: Apache-2.0
"""Docker's API on its unix socket, for comparisons."""
import http.client
import json
import socket
import urllib.parse

SOCKET = "/var/run/docker.sock"


class Engine(http.client.HTTPConnection):
    """Docker's API on its unix socket."""

    def __init__(self):
        super().__init__("docker")

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(SOCKET)

    def call(self, method, path, body=None):
        text = json.dumps(body) if body is not None else None
        self.request(method, path, text, {"Content-Type": "application/json"})
        answer = self.getresponse()
        got = answer.read()
        assert answer.status < 300, (path, answer.status, got)
        return json.loads(got) if got else None


def body_of(engine, agent):
    """The configuration of a container of the agent's, to create another one like it, without the agent's label."""
    filters = urllib.parse.quote(json.dumps({"label": ["stoker.agent"]}))
    listed = engine.call("GET", f"/containers/json?all=1&filters={filters}")
    made = next(one["Id"] for one in listed if one["Labels"]["stoker.agent"].startswith(agent + ":"))
    seen = engine.call("GET", f"/containers/{made}/json")
    labels = {name: value for name, value in seen["Config"]["Labels"].items() if not name.startswith("stoker.")}
    return {**seen["Config"], "Labels": labels, "Hostname": "", "HostConfig": seen["HostConfig"]}
