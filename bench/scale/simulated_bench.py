#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real server with thousands of simulated machines: one scale-out step of a group, joins, memory, tasks.

Real: the server with its disk, EC2, the Auto Scaling group, the provider `command` and its processes, every request and
every WebSocket session. Simulated: the machines. The start command of a machine is `echo`, and its agent is a coroutine of
this process that registers, opens its session, and acknowledges what it gets; no container runs."""
import argparse
import asyncio
import json
import os
import pathlib
import struct
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))

from support.ec2_instances import encoded  # noqa: E402
from support.raw import Caller  # noqa: E402
from support.scaling import ZONES, ScalingCluster  # noqa: E402
from support.waiting import eventually  # noqa: E402
from support.websocket import CLOSE, frame_bytes, upgrade_bytes  # noqa: E402

ECS = "AmazonEC2ContainerServiceV20141113"
JSON = {"Content-Type": "application/x-amz-json-1.1"}
GROUP = "fleet"
JOINING, CALLING = 64, 16  # at once
TASKS_OF_A_CALL = 10
PROVIDER = ["--provider", "command", "--provider-start", "echo $STOKER_INSTANCE_ID", "--provider-stop", "true"]


class Usage:
    """CPU seconds and memory of the server, and the time that passed."""

    def __init__(self, pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.memory_mib = int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
        self.time = time.monotonic()

    def show(self, what, count, since):
        took, cpu = self.time - since.time, self.cpu - since.cpu
        print(f"  {what:42} {count:7} in {took:6.1f} s: {count / took:8.0f}/s   server {cpu / count * 1e3:6.2f} ms each"
              f"   {self.memory_mib:5.0f} MiB", flush=True)


class Agents:
    def __init__(self, server):
        self.caller = Caller(server)
        self.connected, self.payloads, self.tasks = 0, 0, []

    async def call(self, operation, **members):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.caller.port)
        writer.write(self.caller.json_bytes(operation, members, scope=self.caller.scope("ecs"), target=ECS, headers=JSON))
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
        body = await reader.readexactly(length)
        writer.close()
        if " 200 " not in lines[0]:
            raise RuntimeError(f"{operation}: {body.decode()}")
        return json.loads(body)

    async def register(self, instance):
        resources = [{"name": name, "type": "INTEGER", "integerValue": 65536} for name in ("CPU", "MEMORY")]
        answer = await self.call("RegisterContainerInstance", totalResources=resources,
                                 instanceIdentityDocument=json.dumps({"instanceId": instance}))
        return answer["containerInstance"]["containerInstanceArn"]

    async def join(self, instance):
        """Registers, and opens a session that is served until the end."""
        arn = await self.register(instance)
        query = urllib.parse.urlencode({"clusterArn": "default", "containerInstanceArn": arn, "seqNum": 1})
        reader, writer = await asyncio.open_connection("127.0.0.1", self.caller.port)
        writer.write(upgrade_bytes(self.caller, "/ws?" + query))
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head:
            raise RuntimeError(head.decode())
        await self.answer(reader, writer)  # the manifest
        self.connected += 1
        self.tasks.append(asyncio.ensure_future(self.serve(reader, writer)))

    async def answer(self, reader, writer):
        opcode, size = await reader.readexactly(2)
        if size == 126:
            size = struct.unpack("!H", await reader.readexactly(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", await reader.readexactly(8))[0]
        payload = await reader.readexactly(size)
        if opcode & 0x0F == CLOSE:
            raise ConnectionError("the server closed a session")
        message = json.loads(payload)
        self.payloads += len(message["message"].get("tasks") or []) if message["type"] == "PayloadMessage" else 0
        kind = "HeartbeatAckRequest" if message["type"] == "HeartbeatMessage" else "AckRequest"
        if "messageId" in message["message"]:
            answer = {"type": kind, "message": {"messageId": message["message"]["messageId"]}}
            writer.write(frame_bytes(json.dumps(answer)))

    async def serve(self, reader, writer):
        while True:
            await self.answer(reader, writer)

    async def join_all(self, instances):
        gate = asyncio.Semaphore(JOINING)

        async def one(instance):
            async with gate:
                await self.join(instance)

        await asyncio.gather(*(one(instance) for instance in instances))

    async def run_tasks(self, calls):
        gate = asyncio.Semaphore(CALLING)

        async def one():
            async with gate:
                answer = await self.call("RunTask", taskDefinition="job", count=TASKS_OF_A_CALL)
                return len(answer["tasks"])

        return sum(await asyncio.gather(*(one() for _ in range(calls))))


def prepare(fleet, step):
    fleet.ecs.create_cluster(clusterName="default")
    container = {"name": "main", "image": "job", "memory": 64, "cpu": 64}
    fleet.ecs.register_task_definition(family="job", containerDefinitions=[container])
    data = {"ImageId": fleet.image(), "InstanceType": "t3.micro",
            "UserData": encoded("#!/bin/bash\necho ECS_CLUSTER=default >> /etc/ecs/ecs.config\n")}
    fleet.ec2.create_launch_template(LaunchTemplateName=GROUP, LaunchTemplateData=data)
    fleet.autoscaling.create_auto_scaling_group(
        AutoScalingGroupName=GROUP, MinSize=0, MaxSize=step, AvailabilityZones=ZONES,
        LaunchTemplate={"LaunchTemplateName": GROUP, "Version": "1"})


def instances(fleet, *states):
    pages = fleet.ec2.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "instance-state-name", "Values": list(states)}], PaginationConfig={"PageSize": 1000})
    return [one["InstanceId"] for page in pages for group in page["Reservations"] for one in group["Instances"]]


async def simulate(fleet, machines, tasks, step):
    def usage():
        return Usage(fleet.server.process.pid)

    agents = Agents(fleet.server)
    begin = usage()
    fleet.autoscaling.set_desired_capacity(AutoScalingGroupName=GROUP, DesiredCapacity=step)
    eventually(lambda: len(instances(fleet, "pending", "running")) == step)
    usage().show("scale-out step: instances and activities", step, begin)
    started = eventually(lambda: (lambda found: found if len(found) == step else None)(instances(fleet, "running")))
    usage().show("scale-out step: start commands run", step, begin)
    joining = usage()
    await agents.join_all(started)
    usage().show("scale-out step: machines joined", step, joining)
    fleet.wait_in_service(GROUP, step)
    usage().show("scale-out step: in service, altogether", step, begin)
    others = [f"box-{number}" for number in range(machines - step)]
    joining = usage()
    await agents.join_all(others)
    usage().show("further machines joined", len(others), joining)
    launching = usage()
    placed = await agents.run_tasks(tasks // TASKS_OF_A_CALL)
    usage().show("tasks placed", placed, launching)
    while agents.payloads < placed:
        await asyncio.sleep(0.1)
    usage().show("tasks placed, sent and acknowledged", placed, launching)
    print(f"  sessions open: {agents.connected}")
    for task in agents.tasks:
        task.cancel()
    await asyncio.gather(*agents.tasks, return_exceptions=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=10000)
    parser.add_argument("--tasks", type=int, default=100000)
    parser.add_argument("--step", type=int, default=1000, help="machines of the scale-out step")
    arguments = parser.parse_args()
    with ScalingCluster(arguments=PROVIDER) as fleet:
        prepare(fleet, arguments.step)
        asyncio.run(simulate(fleet, arguments.machines, arguments.tasks, arguments.step))
        # Its machines have no processes that could end: the server ends as it is.
        fleet.server.kill()


if __name__ == "__main__":
    main()
