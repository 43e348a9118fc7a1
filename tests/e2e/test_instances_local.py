# SPDX-License-Identifier: Apache-2.0
"""EC2 instances as agents on this machine: each with a slice of a pool of simulated GPUs."""
import json
import os
import pathlib
import signal

import pytest

from support import server
from support.cluster import gpus_of, processes_with
from support.ec2_instances import InstanceCluster, gpu_ids, resource
from support.waiting import eventually

POOL = ["--pool-gpus", "fake:4xV100", "--pool-driver", "process"]


@pytest.fixture
def fleet():
    with InstanceCluster(arguments=POOL) as made:
        yield made


def restart(fleet):
    fleet.server.listen = f"127.0.0.1:{fleet.server.port}"
    fleet.server.kill()
    fleet.server.start()


def one_agent(fleet, instance):
    """The only agent of an instance. A process that it starts has its command line at first."""
    def only():
        found = fleet.agents(instance)
        return found[0][0] if len(found) == 1 else None

    return eventually(only)


def test_an_instance_joins_runs_a_task_and_is_gone_when_terminated(fleet):
    [instance] = fleet.launch("g4dn.xlarge", config="ECS_CLUSTER=default\nECS_RESERVED_MEMORY=384")
    machine = fleet.wait_joined(instance)
    fleet.wait_state(instance, "running")
    assert resource(machine, "CPU") == 4096 and resource(machine, "MEMORY") == 16384 - 384
    assert len(gpu_ids(machine)) == 1
    assert {"name": "ecs.instance-type", "value": "g4dn.xlarge"} in [
        {"name": a["name"], "value": a.get("value")} for a in machine["attributes"]]
    task = fleet.run(fleet.define("echo $NVIDIA_VISIBLE_DEVICES; exec sleep 1000", gpus=1))
    running = fleet.wait_for(task, "RUNNING")
    assert gpus_of(running) == gpu_ids(machine)
    fleet.ec2.terminate_instances(InstanceIds=[instance])
    fleet.wait_state(instance, "terminated")
    assert fleet.agents(instance) == []
    assert processes_with(f"instances/{instance}/") == []
    assert fleet.container_instance(instance) is None
    assert fleet.describe(task)["lastStatus"] == "STOPPED"
    eventually(lambda: not (fleet.server.data / "instances" / instance).exists())


def test_a_terminated_instance_waits_for_work_that_is_saved():
    with InstanceCluster(arguments=[*POOL, "--pool-stop-timeout", "2h"]) as fleet:
        [instance] = fleet.launch()
        fleet.wait_joined(instance)
        agent = one_agent(fleet, instance)
        assert b"--shutdown-timeout\0007200s" in pathlib.Path(f"/proc/{agent}/cmdline").read_bytes()
        folder = fleet.common_folder("work")
        save = f"touch {folder}/saving; until [ -e {folder}/saved ]; do sleep 0.1; done; exit 4"
        work = f"trap '{save}' TERM; touch {folder}/begun; while true; do sleep 0.1; done"
        task = fleet.run(fleet.define(work, stopTimeout=7200))
        eventually((folder / "begun").exists)
        fleet.ec2.terminate_instances(InstanceIds=[instance])
        eventually((folder / "saving").exists)
        fleet.wait_state(instance, "shutting-down")
        (folder / "saved").touch()
        fleet.wait_state(instance, "terminated")
        assert fleet.describe(task)["containers"][0]["exitCode"] == 4


def test_instances_have_different_gpus_and_the_one_too_many_fails_with_the_holders(fleet):
    ids = fleet.launch("g4dn.xlarge", count=2)
    machines = [fleet.wait_joined(instance) for instance in ids]
    taken = [gpu for machine in machines for gpu in gpu_ids(machine)]
    assert len(set(taken)) == 2
    [large] = fleet.launch("p3.8xlarge")
    failed = fleet.wait_state(large, "terminated")
    message = failed["StateReason"]["Message"]
    assert "p3.8xlarge needs 4 GPUs and this machine has 2 of 4 GPUs free" in message
    assert all(instance in message for instance in ids)
    fleet.terminate_all()
    [large] = fleet.launch("p3.8xlarge")
    assert len(gpu_ids(fleet.wait_joined(large))) == 4


def test_a_killed_server_adopts_its_machines_and_their_tasks_go_on(fleet):
    [instance] = fleet.launch()
    fleet.wait_joined(instance)
    task = fleet.run(fleet.define("exec sleep 1000", gpus=1))
    fleet.wait_for(task, "RUNNING")
    before = one_agent(fleet, instance)
    restart(fleet)
    fleet.wait_joined(instance)
    assert one_agent(fleet, instance) == before
    assert fleet.describe(task)["lastStatus"] == "RUNNING"
    fleet.ec2.terminate_instances(InstanceIds=[instance])
    fleet.server.kill()  # while the machine shuts down
    fleet.server.start()
    fleet.wait_state(instance, "terminated")
    assert fleet.agents(instance) == []


def test_a_server_that_is_killed_while_it_starts_machines_starts_each_once(fleet):
    ids = fleet.launch("t3.micro", count=6)
    restart(fleet)
    for instance in ids:
        fleet.wait_joined(instance)
        one_agent(fleet, instance)
        fleet.wait_state(instance, "running")


def test_a_killed_agent_loses_its_instance_and_its_tasks_do_not_go_on(fleet):
    [instance] = fleet.launch()
    fleet.wait_joined(instance)
    task = fleet.run(fleet.define("exec sleep 4711", gpus=1))
    fleet.wait_for(task, "RUNNING")
    os.kill(one_agent(fleet, instance), signal.SIGKILL)
    gone = fleet.wait_state(instance, "stopped")
    assert f"The agent of {instance} ended" in gone["StateReason"]["Message"]
    assert processes_with(f"instances/{instance}/") == []
    eventually(lambda: fleet.describe(task)["lastStatus"] == "STOPPED")
    fleet.ec2.start_instances(InstanceIds=[instance])
    eventually(lambda: fleet.agents(instance))
    fleet.wait_joined(instance)


def test_the_key_of_a_machine_is_deleted_with_it(fleet):
    keys = len(list_keys(fleet))
    [instance] = fleet.launch("t3.micro")
    fleet.wait_joined(instance)
    made = list_keys(fleet)
    assert len(made) == keys + 1 and instance in [key.get("machine") for key in made], "a key of that machine only"
    lines = [line for _, line in fleet.agents(instance)]
    assert lines and all("stkkey1." not in line for line in lines), "a key is in no command line"
    fleet.ec2.terminate_instances(InstanceIds=[instance])
    fleet.wait_state(instance, "terminated")
    assert len(list_keys(fleet)) == keys


def list_keys(fleet):
    done = server.run_stoker("key", "list", "--data", fleet.server.data, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["keys"]
