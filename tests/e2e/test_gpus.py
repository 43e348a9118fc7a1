# SPDX-License-Identifier: Apache-2.0
"""GPUs are pinned, never assigned twice, and a task sees exactly its own."""
from support.cluster import TEST_IMAGE, gpus_of, set_gpu_load
from support.server import run_stoker
from support.waiting import eventually

SHOW = "nvidia-smi -L; echo seen $NVIDIA_VISIBLE_DEVICES; sleep 300"


def seen_by(fleet, task):
    """The GPUs that the task sees, with nvidia-smi and in its environment."""
    text = eventually(lambda: (lambda out: out if "seen" in out else None)(fleet.logs(task)))
    listed = [line.split("UUID: ")[1].rstrip(")") for line in text.splitlines() if "UUID: " in line]
    variable = next(line for line in text.splitlines() if line.startswith("seen"))
    return listed, variable.removeprefix("seen ").split(",")


def test_two_machines_with_one_gpu_run_two_tasks_and_a_third_one_afterwards(fleet, driver):
    fleet.add("box-a", "fake:1xV100", driver)
    fleet.add("box-b", "fake:1xV100", driver)
    fleet.add("box-cpu", "none", driver)
    definition = fleet.define("sleep 300", gpus=1, driver=driver)
    first, second = fleet.run(definition), fleet.run(definition)
    assert first["containerInstanceArn"] != second["containerInstanceArn"]
    assert not set(gpus_of(first)) & set(gpus_of(second))
    for task in (first, second):
        fleet.wait_for(task, "RUNNING")

    refused = fleet.ecs.run_task(taskDefinition=definition)
    assert refused["tasks"] == []
    assert {failure["reason"] for failure in refused["failures"]} == {"RESOURCE:GPU"}
    held = next(f for f in refused["failures"] if f["arn"] == first["containerInstanceArn"])
    assert first["taskArn"].rsplit("/", 1)[1] in held["detail"]

    fleet.stop(first)
    third = fleet.run(definition)
    assert gpus_of(third) == gpus_of(first)
    fleet.wait_for(third, "RUNNING")


def test_tasks_get_disjoint_gpus_and_see_exactly_their_own(fleet, driver):
    fleet.add("box-a", "fake:8xV100", driver)
    fleet.add("box-b", "fake:8xV100", driver)
    fleet.add("box-cpu", "none", driver)
    eight = fleet.run(fleet.define(SHOW, gpus=8, driver=driver))
    four = fleet.run(fleet.define(SHOW, gpus=4, driver=driver))
    two = fleet.run(fleet.define(SHOW, gpus=2, driver=driver))
    assert [len(gpus_of(task)) for task in (eight, four, two)] == [8, 4, 2]
    every = gpus_of(eight) + gpus_of(four) + gpus_of(two)
    assert len(set(every)) == 14
    for task in (eight, four, two):
        fleet.wait_for(task, "RUNNING")
        listed, variable = seen_by(fleet, task)
        assert sorted(listed) == sorted(variable) == sorted(gpus_of(task))


def test_a_task_without_gpus_sees_none(fleet, driver):
    fleet.add("box-a", "fake:2xV100", driver)
    task = fleet.run(fleet.define("nvidia-smi -L; echo status $?", driver=driver))
    fleet.wait_for(task, "STOPPED")
    # As with NVIDIA's runtime, a container without GPUs has no nvidia-smi.
    assert fleet.logs(task).endswith("status 127\n" if driver == "docker" else "No devices were found\nstatus 6\n")


def test_with_gpu_default_runtime_a_task_without_gpus_sees_all(fleet, driver):
    fleet.add("box-a", "fake:2xV100", driver, ["--gpu-default-runtime"])
    task = fleet.run(fleet.define("nvidia-smi -L", driver=driver))
    fleet.wait_for(task, "STOPPED")
    assert fleet.logs(task).count("UUID: ") == 2


def test_all_means_every_gpu_of_a_machine(fleet):
    machine = fleet.add("box-a", "fake:4xV100")
    task = fleet.run(fleet.define("sleep 300", gpus="ALL"))
    assert sorted(gpus_of(task)) == sorted(machine.gpu_ids)


def test_shared_gpus_are_packed_by_memory_and_limits_reach_the_container(fleet, driver):
    fleet.add("box-a", "fake:2xV100", driver)

    def share():
        # Debian's boto3 does not support sharingStrategy; `stoker run` does.
        done = run_stoker(
            "run", "--data", fleet.server.data, "--name", "share", "--detach",
            "--gpu-memory", 6000, "--gpu-compute", 30, "--memory", 64,
            TEST_IMAGE if driver == "docker" else "process", "--", "/bin/sh", "-c", "env | grep CUDA_MPS; trap exit TERM; for i in $(seq 3000); do sleep 0.2; done",
        )
        assert done.returncode == 0, done.stderr
        return fleet.wait_for(done.stdout.split()[-1], "RUNNING")

    first, second, third = share(), share(), share()
    assert gpus_of(first) == gpus_of(second) != gpus_of(third)
    for limit in ("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=6000M", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=30"):
        eventually(lambda: limit in fleet.logs(first))


def test_an_unhealthy_gpu_is_not_assigned(fleet):
    machine = fleet.add("box-a", "fake:2xV100")
    set_gpu_load(machine.data, {"0": {"healthy": False, "trouble": "Xid 79: fallen off the bus"}})
    definition = fleet.define("sleep 300", gpus=2)

    def refused():
        answer = fleet.ecs.run_task(taskDefinition=definition)
        for task in answer["tasks"]:
            fleet.stop(task)
        return answer["failures"]

    failures = eventually(refused)
    assert failures[0]["reason"] == "RESOURCE:GPU"


def test_mpirun_with_four_ranks_runs_in_one_task_of_four_gpus(fleet):
    fleet.add("box-a", "fake:8xV100")
    command = (
        "mpirun --allow-run-as-root --oversubscribe -np 4 /bin/sh -c "
        "'echo rank $OMPI_COMM_WORLD_RANK has $(echo $CUDA_VISIBLE_DEVICES |"
        " cut -d, -f$(($OMPI_COMM_WORLD_RANK + 1)))'"
    )
    task = fleet.run(fleet.define(command, gpus=4, memory=512))
    done = fleet.wait_for(task, "STOPPED")
    text = fleet.logs(task)
    assert done["containers"][0]["exitCode"] == 0, text
    held = dict(line.removeprefix("rank ").split(" has ") for line in text.splitlines() if line.startswith("rank "))
    assert sorted(held) == ["0", "1", "2", "3"]
    assert sorted(held.values()) == sorted(gpus_of(task))
