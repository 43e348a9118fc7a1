# SPDX-License-Identifier: Apache-2.0
"""usage: receiver.py PORT FILE   The other API: adds each result that is posted to it as a line of the file.

It rejects the first one, as a server that is being restarted would."""
import http.server
import sys


class Receiver(http.server.BaseHTTPRequestHandler):
    rejected = False

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 200 if Receiver.rejected else 503
        Receiver.rejected = True
        if status == 200:
            with open(sys.argv[2], "ab") as file:
                file.write(body + b"\n")
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
