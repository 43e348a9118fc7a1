# SPDX-License-Identifier: Apache-2.0
"""Kills the server at random moments while clients write log events and metric points, and checks all
acknowledged ones: no event is missing, out of order or there twice, and no point is missing or counted twice.

STOKER_CRASH_ROUNDS   how often the server is killed (20)
STOKER_CRASH_SEED     the seed of the random numbers (random, and printed)
"""
import os
import pathlib
import random
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from support.raw import Caller, Connection, exchange  # noqa: E402
from support.server import Server  # noqa: E402
from support.waiting import PATIENCE_SECONDS, eventually  # noqa: E402

LOAD_SECONDS = (0.2, 0.9)
WRITERS = 3
GROUP, NAMESPACE = "crash", "Crash"
LOGS = ("logs", "Logs_20140328", "application/x-amz-json-1.1")
CLOUDWATCH = ("monitoring", "GraniteServiceVersion20100801", "application/x-amz-json-1.0")


def request(caller, service, operation, members):
    name, target, content_type = service
    headers = {"Content-Type": content_type}
    return caller.json_bytes(operation, members, scope=caller.scope(name), headers=headers, target=target)


def ask(caller, service, operation, members):
    """One request on its own connection, which must succeed."""
    answer = exchange(caller.port, request(caller, service, operation, members))
    assert answer.status == 200, answer
    return answer


class Writer:
    """What one writer has sent: its own stream and its own metric, in numbered batches."""

    def __init__(self, name, seed):
        self.name, self.random = name, random.Random(f"{seed}-{name}")
        self.next = 0
        self.events, self.uncertain_events = [], []
        self.points, self.uncertain_points = 0, 0
        self.problems = []

    def run(self, caller):
        """Writes until the server is gone."""
        try:
            with Connection(caller.port) as connection:
                while self._put_events(caller, connection) and self._put_points(caller, connection):
                    pass
        except OSError:
            pass

    def _put_events(self, caller, connection):
        numbers = range(self.next, self.next + self.random.randint(1, 60))
        self.next = numbers.stop
        self.uncertain_events += numbers
        now = int(time.time() * 1000)
        events = [{"timestamp": now, "message": f"{number} " + "x" * self.random.randint(0, 200)} for number in numbers]
        members = {"logGroupName": GROUP, "logStreamName": self.name, "logEvents": events}
        if not self._call(caller, connection, LOGS, "PutLogEvents", members):
            return False
        self.events += numbers
        del self.uncertain_events[-len(numbers) :]
        return True

    def _put_points(self, caller, connection):
        count = self.random.randint(1, 30)
        self.uncertain_points += count
        data = [{"MetricName": self.name, "Value": 1.0, "Timestamp": time.time()} for _ in range(count)]
        members = {"Namespace": NAMESPACE, "MetricData": data}
        if not self._call(caller, connection, CLOUDWATCH, "PutMetricData", members):
            return False
        self.points += count
        self.uncertain_points -= count
        return True

    def _call(self, caller, connection, service, operation, members):
        """False if the server did not answer."""
        answer = connection.exchange(request(caller, service, operation, members))
        if answer is not None and answer.status != 200:
            self.problems.append(f"{operation} answered {answer}")
        return answer is not None and answer.status == 200

    # After the last kill.
    def check(self, caller):
        self._check_events(self._read_events(caller))
        found = self._count_points(caller)
        if not self.points <= found <= self.points + self.uncertain_points:
            self.problems.append(
                f"{self.name}: {found} points of {self.points} acknowledged and {self.uncertain_points} unanswered ones"
            )

    def _check_events(self, found):
        if found != sorted(set(found)):
            self.problems.append(f"{self.name}: events are out of order or there twice")
        missing = set(self.events) - set(found)
        if missing:
            self.problems.append(f"{self.name}: {len(missing)} acknowledged events are missing: {sorted(missing)[:10]}")
        unknown = set(found) - set(self.events) - set(self.uncertain_events)
        if unknown:
            self.problems.append(f"{self.name}: {len(unknown)} events that nobody wrote")

    def _read_events(self, caller):
        found, token = [], None
        while True:
            members = {"logGroupName": GROUP, "logStreamName": self.name, "startFromHead": True}
            page = ask(caller, LOGS, "GetLogEvents", {**members, **({"nextToken": token} if token else {})})
            found += [int(event["message"].split(" ")[0]) for event in page.json["events"]]
            if page.json["nextForwardToken"] == token:
                return found
            token = page.json["nextForwardToken"]

    def _count_points(self, caller):
        now = time.time()
        members = {"Namespace": NAMESPACE, "MetricName": self.name, "Period": 60, "Statistics": ["SampleCount"]}
        answer = ask(caller, CLOUDWATCH, "GetMetricStatistics", {**members, "StartTime": now - 7200, "EndTime": now + 120})
        return sum(point["SampleCount"] for point in answer.json["Datapoints"])


def create(caller, writers):
    ask(caller, LOGS, "CreateLogGroup", {"logGroupName": GROUP})
    for one in writers:
        ask(caller, LOGS, "CreateLogStream", {"logGroupName": GROUP, "logStreamName": one.name})


def main():
    rounds = int(os.environ.get("STOKER_CRASH_ROUNDS", "20"))
    seed = os.environ.get("STOKER_CRASH_SEED") or str(random.SystemRandom().randrange(1 << 32))
    print(f"crash of telemetry: seed {seed}, {rounds} rounds", flush=True)
    chance = random.Random(seed)
    writers = [Writer(f"writer-{number}", seed) for number in range(WRITERS)]
    server = Server(arguments=["--log-level", "warn"])
    try:
        server.start()
        create(Caller(server), writers)
        for _ in range(rounds):
            before = [(len(one.events), one.points) for one in writers]
            threads = [threading.Thread(target=one.run, args=(Caller(server),)) for one in writers]
            for thread in threads:
                thread.start()
            time.sleep(chance.uniform(*LOAD_SECONDS))
            eventually(lambda: all(len(one.events) > e and one.points > p for one, (e, p) in zip(writers, before)))
            server.kill()
            for thread in threads:
                thread.join(PATIENCE_SECONDS)
                assert not thread.is_alive(), "a thread outlived its server"
            server.start()
        for one in writers:
            one.check(Caller(server))
        server.stop()
    finally:
        server.remove()
    return report(writers, rounds)


def report(writers, rounds):
    problems = [problem for one in writers for problem in one.problems]
    for problem in problems:
        print("crash:", problem)
    events, points = sum(len(one.events) for one in writers), sum(one.points for one in writers)
    verdict = "FAILED" if problems else "nothing lost, nothing twice"
    print(f"crash: {rounds} rounds, {events} acknowledged log events, {points} acknowledged points: {verdict}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
