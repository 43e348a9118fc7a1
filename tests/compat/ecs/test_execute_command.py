# SPDX-License-Identifier: Apache-2.0
"""What ExecuteCommand rejects without a running task. tests/e2e/test_exec.py has commands that run."""
from support.queues import refused

TASK = "0123456789abcdef0123456789abcdef"


def test_only_interactive_commands_are_accepted(ecs, make_cluster):
    with refused("InvalidParameterException", "Interactive is the only mode supported currently."):
        ecs.execute_command(cluster=make_cluster()["clusterName"], task=TASK, command="ls", interactive=False)


def test_cluster_and_task_must_exist(ecs, make_cluster):
    with refused("ClusterNotFoundException", "Cluster not found."):
        ecs.execute_command(cluster="no-such-cluster", task=TASK, command="ls", interactive=True)
    name = make_cluster()["clusterName"]
    with refused("InvalidParameterException", "task length should be one of [32,36]"):
        ecs.execute_command(cluster=name, task="short", command="ls", interactive=True)
    with refused("InvalidParameterException"):
        ecs.execute_command(cluster=name, task=TASK, command="ls", interactive=True)
