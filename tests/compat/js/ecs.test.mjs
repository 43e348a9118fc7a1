// SPDX-License-Identifier: Apache-2.0
// Clusters, task definitions, tags and account settings, by the AWS SDK for JavaScript.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ECS, paginateListClusters, paginateListTaskDefinitions } from "@aws-sdk/client-ecs";
import { connect, onAmazon, refused, uniqueName } from "./support.mjs";

const ecs = connect(ECS);
const CONTAINER = { name: "app", image: "busybox", memory: 16 };
const INSIGHTS = "containerInsights";

async function makeCluster(t, more = {}) {
  const { cluster } = await ecs.createCluster({ clusterName: uniqueName(), ...more });
  t.after(() => ecs.deleteCluster({ cluster: cluster.clusterName }).catch(() => {}));
  return cluster;
}

async function register(t, container = {}, { family = uniqueName(), ...task } = {}) {
  const containerDefinitions = [{ ...CONTAINER, ...container }];
  const { taskDefinition } = await ecs.registerTaskDefinition({ family, containerDefinitions, ...task });
  t.after(() => ecs.deregisterTaskDefinition({ taskDefinition: taskDefinition.taskDefinitionArn }).catch(() => {}));
  return taskDefinition;
}

async function all(pages, member) {
  const found = [];
  for await (const page of pages) found.push(...page[member]);
  return found;
}

test("a cluster is created, described, changed and deleted", async (t) => {
  const made = await makeCluster(t, { tags: [{ key: "team", value: "vision" }] });
  assert.equal(made.status, "ACTIVE");
  const include = ["SETTINGS", "TAGS", "STATISTICS"];
  const { clusters, failures } = await ecs.describeClusters({ clusters: [made.clusterArn], include });
  assert.deepEqual(failures, []);
  assert.deepEqual(clusters[0].tags, [{ key: "team", value: "vision" }]);
  assert.deepEqual(clusters[0].settings, [{ name: INSIGHTS, value: "disabled" }]);
  assert.ok(clusters[0].statistics.some(({ name, value }) => name === "runningEC2TasksCount" && value === "0"));
  const settings = [{ name: INSIGHTS, value: "enhanced" }];
  const changed = await ecs.updateClusterSettings({ cluster: made.clusterName, settings });
  assert.deepEqual(changed.cluster.settings, settings);
  assert.equal((await ecs.deleteCluster({ cluster: made.clusterName })).cluster.status, "INACTIVE");
  const after = await ecs.describeClusters({ clusters: [made.clusterName] });
  assert.equal(after.clusters[0].status, "INACTIVE");
});

test("a missing cluster is reported and cannot be deleted", async () => {
  const name = uniqueName();
  const { failures } = await ecs.describeClusters({ clusters: [name] });
  assert.deepEqual(failures.map(({ reason }) => reason), ["MISSING"]);
  await refused(ecs.deleteCluster({ cluster: name }), "ClusterNotFoundException", "Cluster not found.");
});

test("clusters are listed page by page", async (t) => {
  const made = [];
  for (let i = 0; i < 3; i++) made.push((await makeCluster(t)).clusterArn);
  const listed = await all(paginateListClusters({ client: ecs, pageSize: 1 }, {}), "clusterArns");
  for (const arn of made) assert.ok(listed.includes(arn));
});

test("capacity providers must exist", async (t) => {
  const { clusterName: cluster } = await makeCluster(t);
  await ecs.putClusterCapacityProviders({ cluster, capacityProviders: [], defaultCapacityProviderStrategy: [] });
  const call = { cluster, capacityProviders: [uniqueName()], defaultCapacityProviderStrategy: [] };
  await refused(ecs.putClusterCapacityProviders(call), "InvalidParameterException", "was not found");
});

test("a task definition is returned with its defaults", async (t) => {
  const made = await register(t, { portMappings: [{ containerPort: 80 }], resourceRequirements: [{ type: "GPU", value: "ALL" }] }, { cpu: ".5 vCPU" });
  assert.equal(made.revision, 1);
  assert.equal(made.cpu, "512");
  assert.ok(made.registeredAt instanceof Date);
  const [container] = made.containerDefinitions;
  assert.equal(container.essential, true);
  assert.equal(container.cpu, 0);
  assert.deepEqual(container.portMappings, [{ containerPort: 80, hostPort: 0, protocol: "tcp" }]);
  assert.deepEqual(container.environment, []);
  assert.deepEqual(made.compatibilities, ["EXTERNAL", "EC2"]);
  const { taskDefinition, tags } = await ecs.describeTaskDefinition({ taskDefinition: made.family, include: ["TAGS"] });
  assert.deepEqual(taskDefinition, made);
  assert.deepEqual(tags, []);
});

test("revisions are numbered, listed in order, deregistered and deleted", async (t) => {
  const family = uniqueName();
  for (let i = 1; i <= 3; i++) assert.equal((await register(t, {}, { family })).revision, i);
  const listed = await all(
    paginateListTaskDefinitions({ client: ecs, pageSize: 2 }, { familyPrefix: family, sort: "DESC" }),
    "taskDefinitionArns",
  );
  assert.deepEqual(listed.map((arn) => arn.split(":").at(-1)), ["3", "2", "1"]);
  const taskDefinition = `${family}:3`;
  const refusedYet = await ecs.deleteTaskDefinitions({ taskDefinitions: [taskDefinition] });
  assert.equal(refusedYet.failures.length, 1);
  assert.equal((await ecs.deregisterTaskDefinition({ taskDefinition })).taskDefinition.status, "INACTIVE");
  const deleted = await ecs.deleteTaskDefinitions({ taskDefinitions: [taskDefinition] });
  assert.equal(deleted.taskDefinitions[0].status, "DELETE_IN_PROGRESS");
  assert.equal((await register(t, {}, { family })).revision, 4);
  const { families } = await ecs.listTaskDefinitionFamilies({ familyPrefix: family, status: "ACTIVE" });
  assert.deepEqual(families, [family]);
});

const REFUSED = [
  [{ name: "a b" }, {}, "Container.name contains invalid characters."],
  [{ memory: undefined }, {}, "At least one of 'memory' or 'memoryReservation' must be specified."],
  [{ essential: false }, {}, "Task definition doesn't have any essential container."],
  [{ links: ["app"] }, {}, "Container links should not have a cycle"],
  [{ mountPoints: [{ sourceVolume: "v", containerPath: "/v" }] }, {}, "Unknown volume 'v'."],
  [{ portMappings: [{ containerPort: 80, hostPort: 81 }] }, { networkMode: "awsvpc" }, "must match."],
  [{ logConfiguration: { logDriver: "papyrus" } }, {}, "papyrus is not a valid log driver"],
  [{}, { cpu: "1" }, "Invalid 'cpu' setting for task."],
  [{}, { requiresCompatibilities: ["FARGATE"] }, "Fargate only supports network mode ‘awsvpc’."],
];
for (const [container, task, why] of REFUSED) {
  test(`a definition is rejected: ${why}`, async (t) => {
    await refused(register(t, container, task), "ClientException", why);
  });
}

test("a missing definition is not described", async () => {
  const call = ecs.describeTaskDefinition({ taskDefinition: uniqueName() });
  await refused(call, "ClientException", "Unable to describe task definition.");
});

test("unsupported members are rejected by name", { skip: onAmazon }, async (t) => {
  const secrets = [{ name: "S", valueFrom: "s" }];
  await refused(register(t, { secrets }, { executionRoleArn: "r" }), "ClientException", "secrets is not supported");
  const taskSet = { cluster: "default", service: "s", taskDefinition: "t" };
  await refused(ecs.createTaskSet(taskSet), "UnknownOperationException", "CreateTaskSet");
});

test("tags are added, listed and removed", async (t) => {
  const { clusterArn } = await makeCluster(t);
  const { taskDefinitionArn } = await register(t);
  for (const resourceArn of [clusterArn, taskDefinitionArn]) {
    await ecs.tagResource({ resourceArn, tags: [{ key: "a", value: "1" }, { key: "b", value: "2" }] });
    await ecs.untagResource({ resourceArn, tagKeys: ["a"] });
    assert.deepEqual((await ecs.listTagsForResource({ resourceArn })).tags, [{ key: "b", value: "2" }]);
  }
});

test("account settings have defaults and can be set and deleted", async (t) => {
  const region = "ap-northeast-1"; // no other test uses it
  const client = connect(ECS, { region });
  t.after(() => client.deleteAccountSetting({ name: INSIGHTS }));
  const effective = async () =>
    (await client.listAccountSettings({ name: INSIGHTS, effectiveSettings: true })).settings[0].value;
  assert.equal(await effective(), "disabled");
  const { setting } = await client.putAccountSetting({ name: INSIGHTS, value: "enabled" });
  assert.equal(setting.value, "enabled");
  assert.equal(await effective(), "enabled");
  await refused(client.putAccountSetting({ name: INSIGHTS, value: "maybe" }), "InvalidParameterException", INSIGHTS);
});
