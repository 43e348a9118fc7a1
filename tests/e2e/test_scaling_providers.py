# SPDX-License-Identifier: Apache-2.0
"""A queue scales a group whose machines come from an operator's scripts, and from Slurm: from zero and back."""
import shutil

import pytest

from support import server
from support.queues import Queue, unique_name
from support.scaling import ScalingCluster
from support.waiting import eventually
from test_instances_command import START, STOP
from test_instances_slurm import jobs, slurm  # noqa: F401, a fixture
from test_scaling_queue import causes_of, ended_by_ok, scale_on, start_daemon


def follow_queue(fleet, gpus):
    """One machine for five messages, none once they are done; the id of that machine."""
    queue = Queue(fleet.client("sqs"), unique_name())
    fleet.ecs.create_cluster(clusterName="default")
    fleet.create_group("workers", least=0, most=2, DesiredCapacity=0)
    gate = fleet.gate()
    start_daemon(fleet, queue, gate, gpus=gpus)
    scale_on(fleet, queue, "workers")
    for i in range(5):
        queue.client.send_message(QueueUrl=queue.url, MessageBody=f"job {i}")
    [machine] = fleet.wait_in_service("workers", 1)
    fleet.wait_joined(machine)
    gate.open()
    fleet.wait_in_service("workers", 0)
    assert int(queue.attribute("ApproximateNumberOfMessages")) == 0
    assert int(queue.attribute("ApproximateNumberOfMessagesNotVisible")) == 0
    causes = causes_of(fleet, "workers")
    assert any("in state ALARM triggered policy by-backlog" in cause for cause in causes), causes
    assert ended_by_ok(fleet, "workers"), causes
    eventually(lambda: {one["StatusCode"] for one in fleet.activities("workers")} == {"Successful"})
    eventually(lambda: not fleet.instances())
    eventually(lambda: not fleet.live_instances())
    return machine


def test_machines_of_scripts_follow_the_queue(tmp_path):
    folder = tmp_path / "boxes"
    folder.mkdir()
    for name, text in (("start", START), ("stop", STOP)):
        path = folder / name
        path.write_text(text.format(folder=folder, program=server.binary()))
        path.chmod(0o755)
    arguments = ["--provider", "command", "--provider-start", str(folder / "start"), "--provider-stop", str(folder / "stop")]
    with ScalingCluster(arguments=arguments) as fleet:
        machine = follow_queue(fleet, gpus=None)
        calls = (folder / "calls").read_text().splitlines()
        assert [call.split()[:2] for call in calls] == [["start", machine], ["stop", machine]]
    shutil.rmtree(folder, ignore_errors=True)


def test_slurm_jobs_follow_the_queue(slurm):  # noqa: F811
    assert slurm.exists()
    arguments = ["--provider", "slurm", "--slurm-gpus", "fake:4xV100", "--pool-driver", "process"]
    with ScalingCluster(arguments=arguments) as fleet:
        follow_queue(fleet, gpus=1)
        eventually(lambda: not jobs())
