# SPDX-License-Identifier: Apache-2.0
"""Services of a Cluster: short forms of boto3's calls, and what must hold while tasks are replaced."""
import math
import re

from support import server
from support.waiting import PATIENCE_SECONDS, eventually

# Runs for an hour or until it receives SIGTERM, and then stops at once.
SERVE = "trap 'exit 0' TERM; for i in $(seq 3600); do sleep 1 & wait; done"


def percents(minimum, maximum, breaker=None):
    """A deploymentConfiguration. `breaker`: the circuit breaker is on, and this is whether it rolls back."""
    configuration = {"minimumHealthyPercent": minimum, "maximumPercent": maximum}
    if breaker is not None:
        configuration["deploymentCircuitBreaker"] = {"enable": True, "rollback": breaker}
    return configuration


class Service:
    """A service of a Cluster by its name."""

    def __init__(self, fleet, name, definition, count=1, **more):
        self.fleet, self.name = fleet, name
        if more.get("schedulingStrategy") != "DAEMON":
            more["desiredCount"] = count
        self.created = fleet.ecs.create_service(serviceName=name, taskDefinition=definition, **more)["service"]

    def describe(self):
        return self.fleet.ecs.describe_services(services=[self.name])["services"][0]

    @property
    def primary(self):
        return next(one for one in self.describe()["deployments"] if one["status"] == "PRIMARY")

    def update(self, **change):
        return self.fleet.ecs.update_service(service=self.name, **change)["service"]

    def scale(self, count):
        self.update(desiredCount=count)

    def deploy(self, definition, **more):
        self.update(taskDefinition=definition, **more)

    def delete(self, **more):
        self.fleet.ecs.delete_service(service=self.name, **more)

    def stable(self):
        """Waits as `aws ecs wait services-stable` does, which polls every 15 seconds."""
        waiter = self.fleet.ecs.get_waiter("services_stable")
        waiter.wait(services=[self.name], WaiterConfig={"Delay": 1, "MaxAttempts": PATIENCE_SECONDS})
        return self.describe()

    def completed(self, definition):
        """Waits until the rollout of this definition is complete."""
        def reached():
            found = self.describe()
            assert found["deployments"][0]["rolloutState"] != "FAILED", found["events"]
            done = found["deployments"][0]["rolloutState"] == "COMPLETED" and len(found["deployments"]) == 1
            return found if done and found["taskDefinition"] == definition else None

        return eventually(reached)

    def inactive(self):
        waiter = self.fleet.ecs.get_waiter("services_inactive")
        waiter.wait(services=[self.name], WaiterConfig={"Delay": 1, "MaxAttempts": PATIENCE_SECONDS})

    def tasks(self, desired="RUNNING"):
        return self.fleet.describe_all(self.fleet.list_tasks(serviceName=self.name, desiredStatus=desired))

    def every_task(self):
        """Also those that have stopped."""
        return self.tasks() + self.tasks("STOPPED")

    def running(self, count, definition=None):
        """Waits until exactly so many tasks run, all of this definition, and none is about to; returns them."""
        def reached():
            found = self.tasks()
            ready = len(found) == count and all(task["lastStatus"] == "RUNNING" for task in found)
            right = definition is None or all(task["taskDefinitionArn"] == definition for task in found)
            return (found or True) if ready and right else None

        found = eventually(reached)
        return [] if found is True else found

    def events(self):
        """Messages, oldest first."""
        return [event["message"] for event in reversed(self.describe()["events"])]

    def event(self, pattern, seconds=PATIENCE_SECONDS):
        """Waits for an event that matches this pattern; returns its message."""
        def found():
            messages = self.events()
            return next((text for text in messages if re.search(pattern, text)), None)

        return eventually(found, seconds)

    def explain(self):
        return stoker(self.fleet, "explain", "service", self.name)

    def explained(self, pattern):
        """Waits until `stoker explain service` matches this pattern; returns its output."""
        def found():
            text = self.explain()
            return text if re.search(pattern, text) else None

        return eventually(found)


def stoker(fleet, *arguments):
    """The output of a command of the command line, which must succeed."""
    done = server.run_stoker(*arguments, "--data", fleet.server.data)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_bounds(tasks, desired, minimum, maximum):
    """From the times of all tasks of a service that was steady before: how many ran, and how many ran or were about
    to run, at any time since then. Tasks whose desired status is STOPPED count for neither, as with Amazon."""
    lower, upper = math.ceil(desired * minimum / 100), math.floor(desired * maximum / 100)
    first_running = sorted(task["startedAt"] for task in tasks if "startedAt" in task)[desired - 1]
    # At the same millisecond, what begins counts before what ends.
    running = [(task["startedAt"], 0, 1) for task in tasks if "startedAt" in task]
    running += [(task["stoppingAt"], 1, -1) for task in tasks if "stoppingAt" in task and "startedAt" in task]
    count = 0
    for at, _, change in sorted(running):
        count += change
        assert at < first_running or count >= lower, (at, count, lower)
    # What ends counts before what begins: a plan that stops and starts does both at once.
    present = [(task["createdAt"], 1, 1) for task in tasks]
    present += [(task["stoppingAt"], 0, -1) for task in tasks if "stoppingAt" in task]
    count = 0
    for at, _, change in sorted(present):
        count += change
        assert count <= upper, (at, count, upper)
