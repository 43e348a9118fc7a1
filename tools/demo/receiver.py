#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Receives webhooks and records them.

usage: receiver.py PORT_FILE DELIVERIES   listens on a free port, writes it to PORT_FILE, and appends each delivery as a
line of JSON to DELIVERIES: {"at", "headers", "body"}
"""
import http.server
import json
import pathlib
import sys
import threading
import time

MAX_BODY = 1 << 20


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MAX_BODY)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        line = json.dumps({"at": time.time(), "headers": headers, "body": body})
        with self.server.lock, open(self.server.deliveries, "a", encoding="utf-8") as file:
            file.write(line + "\n")
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.deliveries, server.lock = sys.argv[2], threading.Lock()
    ready = pathlib.Path(sys.argv[1])
    ready.with_suffix(".new").write_text(str(server.server_port))
    ready.with_suffix(".new").rename(ready)
    server.serve_forever()


if __name__ == "__main__":
    main()
