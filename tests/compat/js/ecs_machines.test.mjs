// SPDX-License-Identifier: Apache-2.0
// Container instances, attributes, rejected launches and protection, with the AWS SDK for JavaScript.
// Machines are registered without an agent, which Amazon accepts only with a signed identity.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ECS, paginateListAttributes, paginateListContainerInstances } from "@aws-sdk/client-ecs";
import { connect, onAmazon, refused, uniqueName } from "./support.mjs";

const ecs = connect(ECS);
const NO_ID = "0123456789abcdef0123456789abcdef";
const targetType = "container-instance";

async function removeCluster(cluster) {
  const { containerInstanceArns } = await ecs.listContainerInstances({ cluster });
  for (const containerInstance of containerInstanceArns) {
    await ecs.deregisterContainerInstance({ cluster, containerInstance, force: true });
  }
  await ecs.deleteCluster({ cluster });
}

async function makeCluster(t) {
  const { cluster } = await ecs.createCluster({ clusterName: uniqueName() });
  t.after(() => removeCluster(cluster.clusterName));
  return cluster.clusterName;
}

async function addMachine(cluster, { gpus = [], ...more } = {}) {
  const { containerInstance } = await ecs.registerContainerInstance({
    cluster,
    instanceIdentityDocument: JSON.stringify({ instanceId: uniqueName() }),
    totalResources: [
      { name: "CPU", type: "INTEGER", integerValue: 2048 },
      { name: "MEMORY", type: "INTEGER", integerValue: 4096 },
    ],
    platformDevices: gpus.map((id) => ({ id, type: "GPU" })),
    ...more,
  });
  return containerInstance;
}

async function register(t) {
  const containerDefinitions = [{ name: "app", image: "busybox", memory: 16 }];
  const { taskDefinition } = await ecs.registerTaskDefinition({ family: uniqueName(), containerDefinitions });
  t.after(() => ecs.deregisterTaskDefinition({ taskDefinition: taskDefinition.taskDefinitionArn }));
  return taskDefinition.taskDefinitionArn;
}

async function all(pages, member) {
  const found = [];
  for await (const page of pages) found.push(...page[member]);
  return found;
}

const onOurs = { skip: onAmazon };

test("a machine is registered, described and drained, with its GPUs", onOurs, async (t) => {
  const cluster = await makeCluster(t);
  const gpu = uniqueName();
  const made = await addMachine(cluster, { gpus: [gpu], tags: [{ key: "rack", value: "7" }] });
  assert.deepEqual([made.status, made.version, made.agentConnected], ["ACTIVE", 1, false]);
  const containerInstances = [made.containerInstanceArn, NO_ID];
  const { containerInstances: shown, failures } = await ecs.describeContainerInstances({
    cluster, containerInstances, include: ["TAGS"],
  });
  assert.deepEqual(shown[0].tags, [{ key: "rack", value: "7" }]);
  assert.equal(failures[0].reason, "MISSING");
  const [{ gpuId, sharingMode, containerCount }] = shown[0].gpuDevices;
  assert.deepEqual([gpuId, sharingMode, containerCount], [gpu, "IDLE", 0]);
  const drained = await ecs.updateContainerInstancesState({
    cluster, containerInstances: [made.containerInstanceArn], status: "DRAINING",
  });
  assert.equal(drained.containerInstances[0].status, "DRAINING");
  const { containerInstanceArns } = await ecs.listContainerInstances({ cluster, status: "ACTIVE" });
  assert.deepEqual(containerInstanceArns, []);
});

test("machines are listed page by page and found by a query", onOurs, async (t) => {
  const cluster = await makeCluster(t);
  const attributes = [{ name: "ecs.instance-type", value: "g4dn.xlarge" }];
  const gpu = (await addMachine(cluster, { attributes })).containerInstanceArn;
  const plain = (await addMachine(cluster)).containerInstanceArn;
  const pages = paginateListContainerInstances({ client: ecs, pageSize: 1 }, { cluster });
  assert.deepEqual((await all(pages, "containerInstanceArns")).sort(), [gpu, plain].sort());
  const filter = "attribute:ecs.instance-type =~ g4dn.*";
  assert.deepEqual((await ecs.listContainerInstances({ cluster, filter })).containerInstanceArns, [gpu]);
});

test("attributes are put, listed and deleted", onOurs, async (t) => {
  const cluster = await makeCluster(t);
  const targetId = (await addMachine(cluster)).containerInstanceArn;
  const stack = { name: "stack", value: "production", targetId };
  assert.deepEqual((await ecs.putAttributes({ cluster, attributes: [stack] })).attributes, [stack]);
  const wanted = { cluster, targetType, attributeName: "stack" };
  assert.deepEqual(await all(paginateListAttributes({ client: ecs }, wanted), "attributes"), [stack]);
  const one = [{ name: "stack", targetId }];
  assert.deepEqual((await ecs.deleteAttributes({ cluster, attributes: one })).attributes, [stack]);
  const missing = [{ name: "stack", targetId: NO_ID, targetType }];
  await refused(ecs.putAttributes({ cluster, attributes: missing }), "TargetNotFoundException");
  const bad = [{ name: "with space", targetId }];
  await refused(ecs.putAttributes({ cluster, attributes: bad }), "InvalidParameterException", "name");
});

test("invalid launches are rejected, and failures have reasons", async (t) => {
  const cluster = await makeCluster(t);
  const taskDefinition = await register(t);
  const none = "No Container Instances were found in your cluster.";
  await refused(ecs.runTask({ cluster, taskDefinition }), "InvalidParameterException", none);
  const tooMany = ecs.runTask({ cluster, taskDefinition, count: 11 });
  await refused(tooMany, "InvalidParameterException");
  const overrides = { containerOverrides: [{ name: "other" }] };
  const why = "Override for container named other is not a container in the TaskDefinition.";
  await refused(ecs.runTask({ cluster, taskDefinition, overrides }), "InvalidParameterException", why);
  const { failures } = await ecs.startTask({ cluster, taskDefinition, containerInstances: [NO_ID] });
  assert.equal(failures[0].reason, "MISSING");
  const missing = ecs.stopTask({ cluster, task: NO_ID });
  await refused(missing, "InvalidParameterException", "The referenced task was not found.");
  assert.deepEqual((await ecs.listTasks({ cluster })).taskArns, []);
});

test("a disconnected machine gets no tasks", onOurs, async (t) => {
  const cluster = await makeCluster(t);
  const taskDefinition = await register(t);
  const arn = (await addMachine(cluster)).containerInstanceArn;
  const { tasks, failures } = await ecs.runTask({ cluster, taskDefinition });
  assert.deepEqual(tasks, []);
  assert.deepEqual([failures[0].arn, failures[0].reason], [arn, "AGENT"]);
});

test("protection of a missing task is a failure", async (t) => {
  const cluster = await makeCluster(t);
  const wanted = { cluster, tasks: [NO_ID], protectionEnabled: true };
  const { protectedTasks, failures } = await ecs.updateTaskProtection(wanted);
  assert.deepEqual([protectedTasks, failures[0].reason], [[], "MISSING"]);
  await refused(ecs.updateTaskProtection({ ...wanted, expiresInMinutes: 2881 }), "InvalidParameterException");
});
