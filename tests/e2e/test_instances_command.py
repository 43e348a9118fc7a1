# SPDX-License-Identifier: Apache-2.0
"""EC2 instances that an operator's scripts start and stop. The scripts run agents on this machine."""
import shutil

import pytest

from support import server
from support.ec2_instances import InstanceCluster
from support.waiting import eventually

START = """#!/bin/sh
# Idempotent: a machine of this instance is found again.
echo "start $STOKER_INSTANCE_ID $STOKER_INSTANCE_TYPE $STOKER_CLUSTER" >>{folder}/calls
grep -q ECS_CLUSTER "$STOKER_USER_DATA_FILE" || {{ echo "no user data" >&2; exit 1; }}
if [ -e {folder}/quota ]; then echo "quota exceeded" >&2; exit 1; fi
if [ ! -e {folder}/$STOKER_INSTANCE_ID.pid ]; then
  setsid {program} agent --join "$STOKER_JOIN" --token-file "$STOKER_TOKEN_FILE" --name "$STOKER_INSTANCE_ID" \\
    --cluster "$STOKER_CLUSTER" --data {folder}/$STOKER_INSTANCE_ID --gpus none --driver process \\
    --metrics-listen none --ephemeral >{folder}/$STOKER_INSTANCE_ID.log 2>&1 &
  echo $! >{folder}/$STOKER_INSTANCE_ID.pid
fi
echo "box-$(cat {folder}/$STOKER_INSTANCE_ID.pid)"
"""
STOP = """#!/bin/sh
echo "stop $STOKER_INSTANCE_ID $STOKER_MACHINE" >>{folder}/calls
pid=${{STOKER_MACHINE#box-}}
kill $pid 2>/dev/null
while kill -0 $pid 2>/dev/null; do sleep 0.1; done
rm -f {folder}/$STOKER_INSTANCE_ID.pid
"""


@pytest.fixture
def fleet(tmp_path):
    folder = tmp_path / "boxes"
    folder.mkdir()
    for name, text in (("start", START), ("stop", STOP)):
        path = folder / name
        path.write_text(text.format(folder=folder, program=server.binary()))
        path.chmod(0o755)
    arguments = ["--provider", "command", "--provider-start", str(folder / "start"), "--provider-stop", str(folder / "stop")]
    with InstanceCluster(arguments=arguments) as made:
        made.boxes = folder
        yield made
    shutil.rmtree(folder, ignore_errors=True)


def calls(fleet):
    return (fleet.boxes / "calls").read_text().splitlines()


def test_scripts_start_and_stop_a_machine(fleet):
    [instance] = fleet.launch("g4dn.xlarge")
    fleet.wait_joined(instance)
    assert calls(fleet) == [f"start {instance} g4dn.xlarge default"]
    task = fleet.run(fleet.define("exec sleep 1000"))
    fleet.wait_for(task, "RUNNING")
    pid = (fleet.boxes / f"{instance}.pid").read_text().strip()
    fleet.server.listen = f"127.0.0.1:{fleet.server.port}"
    fleet.server.kill()
    fleet.server.start()
    fleet.wait_joined(instance)
    fleet.ec2.terminate_instances(InstanceIds=[instance])
    fleet.wait_state(instance, "terminated")
    assert calls(fleet)[-1] == f"stop {instance} box-{pid}"
    assert fleet.describe(task)["lastStatus"] == "STOPPED"


def test_a_start_that_fails_shows_its_last_lines(fleet):
    (fleet.boxes / "quota").touch()
    [instance] = fleet.launch("t3.micro")
    failed = fleet.wait_state(instance, "terminated")
    assert "The start command ended with status 1: quota exceeded" in failed["StateReason"]["Message"]
    assert len(calls(fleet)) == 3
    eventually(lambda: not (fleet.server.data / "instances" / instance).exists())
