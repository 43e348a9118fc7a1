#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The upload API, with Python's own HTTP server.

  POST /documents       an image as body; 202 with its task_id at once
  GET /documents/ID     200 with the result, 404 until there is one
  GET /health           200 while the process serves requests
"""
import http.server
import json
import os
import re
import uuid

import tasks

MAX_BYTES = 20 * 1024 * 1024
objects = tasks.objects()
bucket = os.environ["BUCKET"]


class Api(http.server.BaseHTTPRequestHandler):
    def answer(self, status, document, **headers):
        body = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if self.path != "/documents":
            self.answer(404, {"error": f"POST /documents, not {self.path}"})
        elif not length.isdigit() or not 0 < int(length) <= MAX_BYTES:
            self.answer(413, {"error": f"Content-Length must be 1 to {MAX_BYTES}"}, Connection="close")
        else:
            task_id = str(uuid.uuid4())
            objects.put_object(Bucket=bucket, Key=f"documents/{task_id}", Body=self.rfile.read(int(length)))
            tasks.ocr.delay(task_id, f"documents/{task_id}")
            self.answer(202, {"task_id": task_id}, Location=f"/documents/{task_id}")

    def do_GET(self):
        found = re.fullmatch(r"/documents/([0-9a-f-]{36})", self.path)
        if self.path == "/health":
            self.answer(200, {"status": "ok", "version": os.environ.get("VERSION")})
        elif not found:
            self.answer(404, {"error": f"there is no {self.path}"})
        else:
            try:
                stored = objects.get_object(Bucket=bucket, Key=tasks.result_key(found[1]))
                self.answer(200, json.loads(stored["Body"].read()))
            except objects.exceptions.NoSuchKey:
                self.answer(404, {"error": "there is no result yet"})


print(f"serving on port {os.environ['PORT']}", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Api).serve_forever()
