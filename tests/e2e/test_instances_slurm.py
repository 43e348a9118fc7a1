# SPDX-License-Identifier: Apache-2.0
"""EC2 instances as jobs of a real Slurm, on this machine. Needs root, slurm-wlm and munge (slurm.sh)."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from support.ec2_instances import InstanceCluster, gpu_ids
from support.ports import free_port
from support.waiting import eventually

SCRIPT = pathlib.Path(__file__).with_name("slurm.sh")


class Slurm:
    """Daemons with a folder and ports of their own. Another program may take a port before they do: then `start` fails."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stoker-slurm-"))
        self.ports = [str(free_port()), str(free_port())]
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")

    def run(self, action):
        # Daemons must not hold our pipes.
        with open(self.folder / f"{action}.log", "wb") as log:
            command = [SCRIPT, action, self.folder, *self.ports]
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False).returncode == 0

    def end(self):
        self.run("stop")
        del os.environ["SLURM_CONF"]
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def slurm():
    if os.geteuid() != 0 or not shutil.which("slurmctld") or not shutil.which("munged"):
        pytest.skip("no Slurm here: it needs root, slurm-wlm and munge")
    for last in (False, False, True):
        daemons = Slurm()
        try:
            if daemons.run("start"):
                yield daemons.folder
                return
            assert not last, (daemons.folder / "start.log").read_text()
        finally:
            daemons.end()


@pytest.fixture
def fleet(slurm):
    assert slurm.exists()
    arguments = ["--provider", "slurm", "--slurm-gpus", "fake:4xV100", "--pool-driver", "process"]
    with InstanceCluster(arguments=arguments) as made:
        yield made


def jobs(state="RUNNING,PENDING,COMPLETING"):
    listed = subprocess.run(["squeue", "-h", "-t", state, "-o", "%i %j %T"], capture_output=True, text=True, check=True)
    return [line.split() for line in listed.stdout.splitlines()]


def test_an_instance_is_a_job_whose_agent_has_the_jobs_gpus(fleet):
    ids = fleet.launch("p3.2xlarge", count=2)
    machines = [fleet.wait_joined(instance) for instance in ids]
    assert len({gpu for machine in machines for gpu in gpu_ids(machine)}) == 2
    assert sorted(name for _, name, _ in jobs("RUNNING")) == sorted(ids)
    for instance in ids:
        fleet.wait_state(instance, "running")
    task = fleet.run(fleet.define("exec sleep 1000", gpus=1))
    fleet.wait_for(task, "RUNNING")
    fleet.server.listen = f"127.0.0.1:{fleet.server.port}"
    fleet.server.kill()
    fleet.server.start()
    fleet.wait_joined(ids[0])
    fleet.ec2.terminate_instances(InstanceIds=ids)
    for instance in ids:
        fleet.wait_state(instance, "terminated")
        assert not list(pathlib.Path(os.environ.get("TMPDIR", "/tmp")).glob(f"stoker-{instance}*"))
    eventually(lambda: not jobs())
    assert fleet.describe(task)["lastStatus"] == "STOPPED"


def test_a_job_that_does_not_fit_yet_keeps_its_instance_pending(fleet):
    [first] = fleet.launch("p3.8xlarge")
    fleet.wait_joined(first)
    [second] = fleet.launch("p3.2xlarge")
    eventually(lambda: [name for _, name, state in jobs() if state == "PENDING"] == [second])
    assert fleet.instance_state(second) == "pending"
    fleet.ec2.terminate_instances(InstanceIds=[first])
    fleet.wait_joined(second)
    fleet.wait_state(second, "running")


def test_a_cancelled_job_ends_its_instance_with_the_reason(fleet):
    [instance] = fleet.launch("t3.micro")
    fleet.wait_joined(instance)
    fleet.wait_state(instance, "running")
    [job] = [job for job, name, _ in jobs() if name == instance]  # one of the test before may still be ending
    subprocess.run(["scancel", job], check=True)
    gone = fleet.wait_state(instance, "stopped")
    assert f"Slurm job {job} was cancelled" in gone["StateReason"]["Message"]


def test_a_rejected_job_fails_the_launch_with_slurms_words(fleet):
    [instance] = fleet.launch("p3.16xlarge")  # eight GPUs
    failed = fleet.wait_state(instance, "terminated")
    assert "Requested node configuration is not available" in failed["StateReason"]["Message"]
