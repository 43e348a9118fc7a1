// SPDX-License-Identifier: Apache-2.0
// Services, with the AWS SDK for JavaScript. The cluster has no machines, so no task runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ECS, paginateListServices, waitUntilServicesInactive } from "@aws-sdk/client-ecs";
import { connect, onAmazon, refused, uniqueName } from "./support.mjs";

const ecs = connect(ECS);
const cluster = uniqueName();
const family = uniqueName();
const soon = { client: ecs, maxWaitTime: 300, minDelay: 1, maxDelay: 1 };

before(async () => {
  await ecs.createCluster({ clusterName: cluster });
  const containerDefinitions = [{ name: "app", image: "busybox", memory: 16 }];
  await ecs.registerTaskDefinition({ family, containerDefinitions });
});

after(async () => {
  await ecs.deregisterTaskDefinition({ taskDefinition: `${family}:1` });
  await ecs.deleteCluster({ cluster });
});

async function makeService(t, more = {}) {
  const request = { cluster, serviceName: uniqueName(), taskDefinition: family, desiredCount: 1, ...more };
  const { service } = await ecs.createService(request);
  t.after(async () => {
    await ecs.deleteService({ cluster, service: service.serviceName, force: true });
    await waitUntilServicesInactive(soon, { cluster, services: [service.serviceName] });
  });
  return service;
}

test("a service is created, described, updated and listed", async (t) => {
  const { serviceName, serviceArn, deployments } = await makeService(t, { tags: [{ key: "team", value: "vision" }] });
  const { services } = await ecs.describeServices({ cluster, services: [serviceName], include: ["TAGS"] });
  assert.deepEqual(services[0].tags, [{ key: "team", value: "vision" }]);
  assert.equal(services[0].deployments[0].id, deployments[0].id);
  assert.ok(services[0].createdAt instanceof Date);
  assert.equal(services[0].availabilityZoneRebalancing, "ENABLED");
  assert.equal(services[0].currentServiceRevisions[0].requestedTaskCount, 1);
  const { service } = await ecs.updateService({ cluster, service: serviceName, forceNewDeployment: true });
  assert.notEqual(service.deployments[0].id, deployments[0].id);
  const found = [];
  for await (const page of paginateListServices({ client: ecs, pageSize: 1 }, { cluster })) {
    found.push(...page.serviceArns);
  }
  assert.deepEqual(found, [serviceArn]);
});

test("service deployments and revisions are described", async (t) => {
  const { serviceName, taskDefinition } = await makeService(t);
  const { serviceDeployments } = await ecs.listServiceDeployments({ cluster, service: serviceName });
  const serviceDeploymentArns = serviceDeployments.map((one) => one.serviceDeploymentArn);
  const described = await ecs.describeServiceDeployments({ serviceDeploymentArns });
  const { arn } = described.serviceDeployments[0].targetServiceRevision;
  const { serviceRevisions } = await ecs.describeServiceRevisions({ serviceRevisionArns: [arn] });
  assert.equal(serviceRevisions[0].taskDefinition, taskDefinition);
  const stop = ecs.stopServiceDeployment({ serviceDeploymentArn: serviceDeploymentArns[0], stopType: "ROLLBACK" });
  await refused(stop, "ConflictException");
});

test("a service that is scaled above 0 is deleted only by force", async (t) => {
  const { serviceName } = await makeService(t);
  const call = ecs.deleteService({ cluster, service: serviceName });
  await refused(call, "InvalidParameterException", "The service cannot be stopped while it is scaled above 0.");
  await refused(ecs.deleteService({ cluster, service: "none" }), "ServiceNotFoundException", "Service not found.");
});

test("strategies that shift traffic are rejected by name", { skip: onAmazon }, async () => {
  const request = { cluster, serviceName: uniqueName(), taskDefinition: family, desiredCount: 1 };
  const deploymentConfiguration = { strategy: "BLUE_GREEN" };
  const call = ecs.createService({ ...request, deploymentConfiguration });
  await refused(call, "ClientException", "deploymentConfiguration.strategy BLUE_GREEN is not supported");
});
