# SPDX-License-Identifier: Apache-2.0
"""A steady, low load on one server for STOKER_SOAK_SECONDS (60), and its memory over time.

Everything that is created is deleted again, so that what the server holds at the end is what it held at the beginning.
Prints the resident memory, and by how much it grew per hour in the second half. STOKER_SOAK_RATE (20) is the number of
rounds per second: a round is about ten requests.

What remains of a round is a point of one metric, and of each twentieth a log event. Both are in memory until they are
sealed, about 80 and 110 bytes each: at the usual rate a few MiB per hour.

SQLite's caches of pages fill as the database grows: 64 MiB of the writer, 8 MiB of each of six readers. They are filled
first, so that other growth shows.
"""
import json
import os
import time

from support.raw import Caller, Connection, request_bytes
from support.s3_raw import S3Caller
from support.server import Server

SECONDS = float(os.environ.get("STOKER_SOAK_SECONDS", "60"))
RATE = float(os.environ.get("STOKER_SOAK_RATE", "20"))
SAMPLES = 60


def memory_kib(pid, name="VmRSS"):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))


def database_mib(server):
    return sum(path.stat().st_size for path in server.data.glob("stoker.db*")) / (1 << 20)


class Load:
    def __init__(self, server):
        self.caller, self.s3, self.connection = Caller(server), S3Caller(server), Connection(server.port)
        self.port, self.round = server.port, 0
        self.s3_call("PUT", "/soak")
        self.logs("CreateLogGroup", {"logGroupName": "soak"})
        self.logs("PutRetentionPolicy", {"logGroupName": "soak", "retentionInDays": 1})
        self.logs("CreateLogStream", {"logGroupName": "soak", "logStreamName": "s"})

    def send(self, request, expected=(200, 204)):
        answer = self.connection.exchange(request)
        assert answer is not None and answer.status in expected, answer
        return answer

    def sqs(self, operation, members):
        return self.send(self.caller.json_bytes(operation, members)).json

    def logs(self, operation, members):
        headers = {"Content-Type": "application/x-amz-json-1.1"}
        scope = self.caller.scope("logs")
        self.send(self.caller.json_bytes(operation, members, scope=scope, target="Logs_20140328", headers=headers))

    def s3_call(self, method, target, body=b""):
        return self.send(self.s3.bytes(method, target, body))

    def one_round(self):
        """A new queue, a new object, a metric, a log event: all names are new, and all but the last two are deleted."""
        self.round += 1
        url = self.sqs("CreateQueue", {"QueueName": f"soak-{self.round}"})["QueueUrl"]
        self.sqs("SendMessage", {"QueueUrl": url, "MessageBody": "m" * 1000})
        message = self.sqs("ReceiveMessage", {"QueueUrl": url})["Messages"][0]
        self.sqs_empty("DeleteMessage", {"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]})
        self.sqs_empty("DeleteQueue", {"QueueUrl": url})
        key = f"/soak/key-{self.round}"
        self.s3_call("PUT", key, b"o" * 2000)
        self.s3_call("GET", key)
        self.s3_call("DELETE", key)
        self.send(self.caller.query_bytes({"Action": "PutMetricData", "Version": "2010-08-01", "Namespace": "soak",
                                           "MetricData.member.1.MetricName": "m", "MetricData.member.1.Value": "1"},
                                          scope=self.caller.scope("monitoring")))
        self.send(self.caller.json_bytes("GetQueueUrl", {"QueueName": f"missing-{self.round}"}), (400,))
        if self.round % 20 == 0:
            event = {"timestamp": int(time.time() * 1000), "message": json.dumps({"round": self.round})}
            self.logs("PutLogEvents", {"logGroupName": "soak", "logStreamName": "s", "logEvents": [event]})
            self.send(request_bytes("GET", "/metrics", {"Host": "localhost"}))
            self.connection.socket.close()
            self.connection = Connection(self.port)

    def fill_caches(self):
        url = self.sqs("CreateQueue", {"QueueName": "soak-fill"})["QueueUrl"]
        entries = [{"Id": str(i), "MessageBody": "m" * 10000} for i in range(10)]
        batch = self.caller.json_bytes("SendMessageBatch", {"QueueUrl": url, "Entries": entries})
        for _ in range(1500):
            self.send(batch)
        self.sqs_empty("DeleteQueue", {"QueueUrl": url})

    def sqs_empty(self, operation, members):
        self.send(self.caller.json_bytes(operation, members))


def slope(samples):
    """Least squares, in KiB per hour."""
    middle = sum(at for at, _ in samples) / len(samples)
    mean = sum(kib for _, kib in samples) / len(samples)
    spread = sum((at - middle) ** 2 for at, _ in samples)
    return sum((at - middle) * (kib - mean) for at, kib in samples) / spread * 3600 if spread else 0.0


def main():
    with Server() as server:
        load, samples = Load(server), []
        load.fill_caches()
        began = time.monotonic()
        while time.monotonic() - began < SECONDS:
            load.one_round()
            at = time.monotonic() - began
            if at >= len(samples) * SECONDS / SAMPLES:
                samples.append((at, memory_kib(server.process.pid)))
                print(f"{at:7.0f} s {samples[-1][1] / 1024:8.1f} MiB, database {database_mib(server):6.1f} MiB, "
                      f"{load.round} rounds", flush=True)
            time.sleep(max(0.0, began + load.round / RATE - time.monotonic()))
        second_half = samples[len(samples) // 2:]
        print(f"rounds: {load.round}; first {samples[0][1] / 1024:.1f} MiB, last {samples[-1][1] / 1024:.1f} MiB, "
              f"second half {slope(second_half) / 1024:+.2f} MiB per hour")
        load.connection.socket.close()


if __name__ == "__main__":
    main()
