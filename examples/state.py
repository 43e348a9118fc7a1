# SPDX-License-Identifier: Apache-2.0
"""Reads a listing of `stoker ... --json` on standard input, for the conditions that the examples wait for.

  group NAME COUNT     succeeds if the group has exactly so many instances, all in service
  service NAME COUNT   succeeds if so many tasks of the service run, and its last deployment is complete
  machines, tasks      prints their number
  gpus                 prints the largest number of GPUs on one machine
"""
import collections
import json
import sys


def group_has(listing, name, count):
    for group in listing["groups"]:
        if group["AutoScalingGroupName"] == name:
            states = [one["LifecycleState"] for one in group["Instances"]]
            return states == ["InService"] * count
    return False


def service_has(listing, name, count):
    for service in listing["services"]:
        if service["serviceName"] == name:
            complete = [one.get("rolloutState") for one in service["deployments"]] == ["COMPLETED"]
            return complete and service["runningCount"] == count and service["desiredCount"] == count
    return False


def main():
    question, listing = sys.argv[1], json.load(sys.stdin)
    if question == "group":
        return group_has(listing, sys.argv[2], int(sys.argv[3]))
    if question == "service":
        return service_has(listing, sys.argv[2], int(sys.argv[3]))
    if question == "gpus":
        print(max(collections.Counter(gpu["machine"] for gpu in listing["gpus"]).values(), default=0))
        return True
    print(len(listing[{"machines": "containerInstances", "tasks": "tasks"}[question]]))
    return True


sys.exit(0 if main() else 1)
