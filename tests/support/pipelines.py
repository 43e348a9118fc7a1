# SPDX-License-Identifier: Apache-2.0
"""Pipelines by the command line of a server's own data folder."""
import json
import subprocess

from support import server


class Refused(Exception):
    """The command failed; its text is the error."""


class Pipelines:
    """`stoker pipeline`, against the server with this data folder."""

    def __init__(self, data):
        self.data = str(data)

    def run(self, *arguments, text=""):
        """The exit status and the output."""
        command = [server.binary(), "pipeline", *arguments, "--data", self.data]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stdout):
            raise Refused(done.stderr)
        return done.returncode, done.stdout

    def json(self, *arguments, text=""):
        return json.loads(self.run(*arguments, "--json", text=text)[1])

    def create(self, name, *arguments):
        return self.json("create", name, *arguments)

    def apply(self, spec):
        return self.json("apply", "-f", "-", text=json.dumps(spec))  # JSON is YAML

    def diff(self, spec):
        status, output = self.run("diff", "-f", "-", "--json", text=json.dumps(spec))
        return status, json.loads(output)["changes"]

    def show(self, name):
        return self.json("show", name)["pipeline"]

    def names(self):
        return [one["name"] for one in self.json("list")["pipelines"]]

    def delete(self, name, *arguments):
        return self.json("delete", name, *arguments)
