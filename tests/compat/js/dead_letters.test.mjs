// SPDX-License-Identifier: Apache-2.0
// Dead-letter queues and message move tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, makeFifo, makeQueue, redrive, refused, sqs } from "./support.mjs";

async function pair(t) {
  const dead = await makeQueue(t);
  const deadArn = await dead.arn();
  const source = await makeQueue(t, { RedrivePolicy: redrive(deadArn) });
  return { dead, deadArn, source };
}

async function bury({ source, dead }, bodies) {
  for (const body of bodies) await source.send(body);
  await source.receiveAll(bodies.length, { VisibilityTimeout: 0 });
  await eventually(async () => (await source.receive()).length === 0);
  await dead.expectCounts({ visible: bodies.length });
}

const tasksOf = async (SourceArn) => (await sqs.listMessageMoveTasks({ SourceArn, MaxResults: 10 })).Results;
const finished = (arn, status = "COMPLETED") =>
  eventually(async () => (await tasksOf(arn)).find((task) => task.Status === status));

test("a message moves after its last allowed receive", async (t) => {
  const queues = await pair(t);
  await bury(queues, ["doomed"]);
  const got = await queues.dead.receiveOne({ MessageSystemAttributeNames: ["All"] });
  assert.equal(got.Body, "doomed");
  assert.equal(got.Attributes.DeadLetterQueueSourceArn, await queues.source.arn());
  await queues.source.expectCounts();
});

test("the sources of a dead-letter queue are listed", async (t) => {
  const { dead, source } = await pair(t);
  assert.deepEqual((await sqs.listDeadLetterSourceQueues({ QueueUrl: dead.url })).queueUrls, [source.url]);
});

test("an invalid redrive policy is rejected", async (t) => {
  const { deadArn, source } = await pair(t);
  const fifo = await makeFifo(t);
  const wrong = [
    ["{", "not a valid JSON map"],
    [JSON.stringify({ maxReceiveCount: 1 }), "deadLetterTargetArn"],
    [JSON.stringify({ deadLetterTargetArn: deadArn }), "maxReceiveCount"],
    [redrive(deadArn, 0), "maxReceiveCount"],
    [redrive(deadArn, 1001), "maxReceiveCount"],
    [redrive(`${deadArn}-not`), "Dead letter target does not exist"],
    [redrive(await fifo.arn()), "same type of queue"],
  ];
  for (const [RedrivePolicy, part] of wrong) {
    await refused(source.set({ RedrivePolicy }), "InvalidParameterValue", part);
  }
});

test("a dead-letter queue may allow only listed sources", async (t) => {
  const [named, other] = [await makeQueue(t), await makeQueue(t)];
  const allow = { redrivePermission: "byQueue", sourceQueueArns: [await named.arn()] };
  const dead = await makeQueue(t, { RedriveAllowPolicy: JSON.stringify(allow) });
  const RedrivePolicy = redrive(await dead.arn());
  await named.set({ RedrivePolicy });
  await refused(other.set({ RedrivePolicy }), "InvalidParameterValue", "RedrivePolicy");
});

test("dead letters move back to their source", async (t) => {
  const queues = await pair(t);
  await bury(queues, ["a", "b", "c"]);
  const { TaskHandle } = await sqs.startMessageMoveTask({ SourceArn: queues.deadArn });
  assert.ok(TaskHandle);
  const task = await finished(queues.deadArn);
  assert.equal(task.ApproximateNumberOfMessagesMoved, 3);
  assert.equal(typeof task.StartedTimestamp, "number");
  assert.deepEqual((await queues.source.receiveAll(3)).map((m) => m.Body).sort(), ["a", "b", "c"]);
  await queues.dead.expectCounts();
  await refused(sqs.cancelMessageMoveTask({ TaskHandle }), "AWS.SimpleQueueService.UnsupportedOperation", "COMPLETED");
});

test("dead letters move to the given destination", async (t) => {
  const queues = await pair(t);
  const target = await makeQueue(t);
  await bury(queues, ["a"]);
  const DestinationArn = await target.arn();
  await sqs.startMessageMoveTask({ SourceArn: queues.deadArn, DestinationArn });
  assert.equal((await finished(queues.deadArn)).DestinationArn, DestinationArn);
  await target.expectCounts({ visible: 1 });
});

test("a rate-limited task is the only one and can be cancelled", async (t) => {
  const queues = await pair(t);
  await bury(queues, Array.from({ length: 20 }, (_, i) => String(i)));
  const SourceArn = queues.deadArn;
  const { TaskHandle } = await sqs.startMessageMoveTask({ SourceArn, MaxNumberOfMessagesPerSecond: 1 });
  const again = sqs.startMessageMoveTask({ SourceArn });
  await refused(again, "InvalidParameterValue", "already a task running");
  const answer = await sqs.cancelMessageMoveTask({ TaskHandle });
  assert.ok(answer.ApproximateNumberOfMessagesMoved < 20);
  const task = await finished(SourceArn, "CANCELLED");
  await queues.dead.expectCounts({ visible: 20 - task.ApproximateNumberOfMessagesMoved });
});

test("invalid move tasks are rejected", async (t) => {
  const { deadArn, source } = await pair(t);
  const start = (SourceArn, more) => sqs.startMessageMoveTask({ SourceArn, ...more });
  await refused(start(await source.arn()), "InvalidParameterValue", "must be configured as a Dead Letter Queue");
  await refused(start(`${deadArn}-not`), "ResourceNotFoundException", "SourceArn");
  await refused(start("words"), "InvalidParameterValue", "SourceArn");
  await refused(start(deadArn, { DestinationArn: deadArn }), "InvalidParameterValue", "cannot be the same");
  const rate = { MaxNumberOfMessagesPerSecond: 501 };
  await refused(start(deadArn, rate), "InvalidParameterValue", "MaxNumberOfMessagesPerSecond");
});
