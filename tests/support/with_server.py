# SPDX-License-Identifier: Apache-2.0
"""usage: with_server.py COMMAND [ARGUMENT...]

Runs the command beside a new Stoker, with an environment for stock clients. Exits with the command's status, or with 1
if the server did not stop cleanly.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.server import Server, binary  # noqa: E402


def environment(server):
    key = server.root_key
    return {
        **os.environ,
        "AWS_ENDPOINT_URL": server.endpoint,
        "AWS_ACCESS_KEY_ID": key.id,
        "AWS_SECRET_ACCESS_KEY": key.secret,
        "AWS_REGION": "us-east-1",
        "STOKER_BIN": binary(),
        "STOKER_DATA": str(server.data),
    }


def main():
    with Server() as server:
        status = subprocess.run(sys.argv[1:], env=environment(server)).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
