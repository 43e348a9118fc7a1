// SPDX-License-Identifier: Apache-2.0
// Tasks, with the AWS SDK for JavaScript, which supports shared GPUs. The machine is an agent with
// simulated GPUs, whose tasks are processes: it ignores images.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ECS, waitUntilTasksRunning, waitUntilTasksStopped } from "@aws-sdk/client-ecs";
import { connect, eventually, onAmazon, stoker, uniqueName } from "./support.mjs";

const ecs = connect(ECS);
const cluster = uniqueName();
const soon = { client: ecs, maxWaitTime: 300, minDelay: 1, maxDelay: 1 };
const onOurs = { skip: onAmazon };
let agent, folder, instance;

async function describeInstance() {
  const { containerInstanceArns: arns } = await ecs.listContainerInstances({ cluster });
  if (arns.length === 0) return undefined;
  return (await ecs.describeContainerInstances({ cluster, containerInstances: arns })).containerInstances[0];
}

before(async () => {
  if (onAmazon) return;
  await ecs.createCluster({ clusterName: cluster });
  folder = mkdtempSync("/dev/shm/stoker-test-");  // tasks have a /tmp of their own
  chmodSync(folder, 0o755);
  const { token } = JSON.parse(stoker("token", "--data", process.env.STOKER_DATA, "--json"));
  const where = ["--join", process.env.AWS_ENDPOINT_URL, "--cluster", cluster];
  const machine = ["--data", join(folder, "agent"), "--name", "box-js", "--gpus", "fake:2xV100", "--driver", "process"];
  agent = spawn(process.env.STOKER_BIN, ["agent", ...where, ...machine], {
    stdio: "ignore",
    env: { ...process.env, STOKER_TOKEN: token },
  });
  instance = await eventually(async () => {
    assert.equal(agent.exitCode, null, "the agent ended");
    const found = await describeInstance();
    return found?.agentConnected && found;
  });
});

after(async () => {
  if (onAmazon) return;
  const { taskArns } = await ecs.listTasks({ cluster });
  for (const task of taskArns) await ecs.stopTask({ cluster, task });
  if (taskArns.length) await waitUntilTasksStopped(soon, { cluster, tasks: taskArns });
  const ended = new Promise((resolve) => agent.once("exit", resolve));
  agent.kill("SIGTERM");
  await ended;
  const { containerInstanceArn: containerInstance } = instance;
  await ecs.deregisterContainerInstance({ cluster, containerInstance, force: true });
  await ecs.deleteCluster({ cluster });
  rmSync(folder, { recursive: true, force: true });
});

async function define(command, requirement) {
  const container = { name: "main", image: "process", memory: 64, entryPoint: ["/bin/sh", "-c"], command: [command] };
  if (requirement) container.resourceRequirements = [{ type: "GPU", ...requirement }];
  const { taskDefinition } = await ecs.registerTaskDefinition({
    family: uniqueName(),
    containerDefinitions: [container],
  });
  return taskDefinition.taskDefinitionArn;
}

async function run(taskDefinition, more = {}) {
  const { tasks, failures } = await ecs.runTask({ cluster, taskDefinition, ...more });
  assert.deepEqual(failures, []);
  return tasks;
}

test("a task with a GPU runs, ends, and reports its exit code", onOurs, async () => {
  const overrides = { containerOverrides: [{ name: "main", environment: [{ name: "CODE", value: "3" }] }] };
  const gate = join(folder, "gate");  // the task continues when this file exists
  const command = `until [ -e ${gate} ]; do sleep 0.1; done; exit $CODE`;
  const [task] = await run(await define(command, { value: "1" }), { overrides, startedBy: "js" });
  assert.equal(task.containers[0].gpuIds.length, 1);
  const wanted = { cluster, tasks: [task.taskArn] };
  await waitUntilTasksRunning(soon, wanted);
  assert.deepEqual((await ecs.listTasks({ cluster, startedBy: "js" })).taskArns, [task.taskArn]);
  writeFileSync(gate, "");
  await waitUntilTasksStopped(soon, wanted);
  const [ended] = (await ecs.describeTasks(wanted)).tasks;
  assert.equal(ended.containers[0].exitCode, 3);
  assert.equal(ended.stopCode, "EssentialContainerExited");
  assert.ok(ended.startedAt instanceof Date && ended.startedAt <= ended.stoppedAt);
});

test("the same client token returns the same task, and a different request is a conflict", onOurs, async () => {
  const definition = await define("sleep 300");
  const clientToken = uniqueName();
  const [first] = await run(definition, { clientToken });
  const [again] = await run(definition, { clientToken });
  assert.equal(first.taskArn, again.taskArn);
  const other = ecs.runTask({ cluster, taskDefinition: definition, clientToken, count: 2 });
  await assert.rejects(other, { name: "ConflictException" });
});

test("a GPU is shared by memory, and its machine shows the shares", onOurs, async () => {
  const sharingStrategy = { nvidiaMps: { memory: 6000, maxComputePercent: 30 } };
  const tasks = await run(await define("sleep 300", { sharingStrategy }), { count: 2 });
  const [gpu] = tasks[0].containers[0].gpuIds;
  for (const { containers } of tasks) {
    assert.deepEqual(containers[0].gpuIds, [gpu]);
    assert.deepEqual(containers[0].gpuSharingStrategy, sharingStrategy);
  }
  const { gpuDevices } = await describeInstance();
  const shared = gpuDevices.find(({ gpuId }) => gpuId === gpu);
  assert.deepEqual([shared.sharingMode, shared.containerCount], ["NVIDIA_MPS", 2]);
  assert.equal(shared.remainingMemoryInMiB, shared.totalMemoryInMiB - 12000);

  const whole = await define("sleep 300", { value: "2" });
  const { tasks: none, failures } = await ecs.runTask({ cluster, taskDefinition: whole });
  assert.deepEqual(none, []);
  assert.equal(failures[0].reason, "RESOURCE:GPU");
  assert.ok(failures[0].detail.includes("box-js"), failures[0].detail);
});
