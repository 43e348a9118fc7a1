// SPDX-License-Identifier: Apache-2.0
// Creating, finding, listing, changing, tagging and deleting queues.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_QUEUE, eventually, makeFifo, makeQueue, refused, sqs, uniqueName } from "./support.mjs";

const STANDARD_NAME = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length";

test("the same name with the same attributes is the same queue", async (t) => {
  const queue = await makeQueue(t, { VisibilityTimeout: "17" });
  const QueueName = queue.name;
  assert.equal((await sqs.createQueue({ QueueName })).QueueUrl, queue.url);
  const again = await sqs.createQueue({ QueueName, Attributes: { VisibilityTimeout: "17" } });
  assert.equal(again.QueueUrl, queue.url);
});

test("the same name with another value is rejected", async (t) => {
  const queue = await makeQueue(t, { VisibilityTimeout: "17" });
  const call = sqs.createQueue({ QueueName: queue.name, Attributes: { VisibilityTimeout: "18" } });
  await refused(call, "QueueAlreadyExists", "different value for attribute");
});

for (const name of ["with space", "with.dot", "a".repeat(81), "ümlaut", "a\r\nb", "x.fifo"]) {
  test(`the queue name ${JSON.stringify(name)} is rejected`, async () => {
    await refused(sqs.createQueue({ QueueName: name }), "InvalidParameterValue", STANDARD_NAME);
  });
}

for (const name of ["plain", "a.b.fifo", ".fifo"]) {
  test(`the FIFO queue name ${name} is rejected`, async () => {
    const call = sqs.createQueue({ QueueName: name, Attributes: { FifoQueue: "true" } });
    await refused(call, "InvalidParameterValue", "must end with .fifo suffix");
  });
}

test("queues are listed by prefix, page by page", async (t) => {
  const prefix = uniqueName("-");
  const queues = [];
  for (const letter of "abcde") queues.push(await makeQueue(t, {}, { name: prefix + letter }));
  await eventually(async () => (await sqs.listQueues({ QueueNamePrefix: prefix })).QueueUrls?.length === 5);
  const pages = [];
  let NextToken;
  for (let i = 0; i < 5; i++) {
    const page = await sqs.listQueues({ QueueNamePrefix: prefix, MaxResults: 2, NextToken });
    pages.push(page.QueueUrls);
    NextToken = page.NextToken;
    if (!NextToken) break;
  }
  assert.deepEqual(pages.map((page) => page.length), [2, 2, 1]);
  assert.deepEqual(pages.flat().sort(), queues.map((queue) => queue.url).sort());
});

test("a page has 1 to 1000 queues", async () => {
  for (const MaxResults of [0, 1001]) await refused(sqs.listQueues({ MaxResults }), "InvalidParameterValue", "MaxResults");
});

test("a next token needs MaxResults", async () => {
  await refused(sqs.listQueues({ NextToken: "abc" }), "InvalidParameterValue", "MaxResults is a mandatory parameter");
});

test("a queue's url is found by its name", async (t) => {
  const queue = await makeQueue(t);
  assert.equal((await sqs.getQueueUrl({ QueueName: queue.name })).QueueUrl, queue.url);
  await refused(sqs.getQueueUrl({ QueueName: uniqueName() }), NO_QUEUE, "The specified queue does not exist");
});

test("a deleted queue is gone", async (t) => {
  const queue = await makeQueue(t);
  await sqs.deleteQueue({ QueueUrl: queue.url });
  await eventually(() => sqs.getQueueUrl({ QueueName: queue.name }).then(() => false, () => true));
  await refused(queue.send(), NO_QUEUE, "does not exist");
  await refused(queue.receive(), NO_QUEUE, "does not exist");
  await refused(queue.attributes(), NO_QUEUE, "does not exist");
});

test("a purge deletes all messages", async (t) => {
  const queue = await makeQueue(t);
  await queue.send("a");
  await queue.send("b");
  await queue.send("late", { DelaySeconds: 60 });
  await queue.receiveOne();
  await sqs.purgeQueue({ QueueUrl: queue.url });
  await queue.expectCounts();
  await queue.send("after");
  assert.equal((await queue.receiveOne()).Body, "after");
});

test("a new queue has Amazon's defaults", async (t) => {
  const shown = await (await makeQueue(t)).attributes();
  const wanted = {
    VisibilityTimeout: "30",
    DelaySeconds: "0",
    MaximumMessageSize: "1048576",
    MessageRetentionPeriod: "345600",
    ReceiveMessageWaitTimeSeconds: "0",
    SqsManagedSseEnabled: "true",
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(shown[name], value, name);
  assert.equal(shown.Policy, undefined);
});

test("no attributes are returned by default", async (t) => {
  const queue = await makeQueue(t);
  assert.equal((await sqs.getQueueAttributes({ QueueUrl: queue.url })).Attributes, undefined);
});

const LIMITS = [
  ["VisibilityTimeout", 0, 43200],
  ["DelaySeconds", 0, 900],
  ["MaximumMessageSize", 1024, 1048576],
  ["MessageRetentionPeriod", 60, 1209600],
  ["ReceiveMessageWaitTimeSeconds", 0, 20],
];
for (const [name, low, high] of LIMITS) {
  test(`${name} is ${low} to ${high}`, async (t) => {
    const queue = await makeQueue(t);
    for (const value of [low, high]) {
      await queue.set({ [name]: String(value) });
      assert.equal((await queue.attributes(name))[name], String(value));
    }
    for (const value of [low - 1, high + 1, "many"]) {
      const part = `Invalid value for the parameter ${name}.`;
      await refused(queue.set({ [name]: String(value) }), "InvalidAttributeValue", part);
    }
  });
}

test("an unknown attribute is rejected", async (t) => {
  const queue = await makeQueue(t);
  await refused(queue.set({ Colour: "red" }), "InvalidAttributeName", "Unknown Attribute Colour.");
  await refused(queue.attributes("Colour"), "InvalidAttributeName", "Unknown Attribute Colour.");
});

test("an empty policy removes the policy", async (t) => {
  const queue = await makeQueue(t);
  const statement = { Effect: "Allow", Principal: "*", Action: "sqs:SendMessage", Resource: await queue.arn() };
  const policy = { Version: "2012-10-17", Statement: [statement] };
  await queue.set({ Policy: JSON.stringify(policy) });
  assert.deepEqual(JSON.parse((await queue.attributes("Policy")).Policy), policy);
  await queue.set({ Policy: "" });
  assert.deepEqual(await queue.attributes("Policy"), {});
  await refused(queue.set({ Policy: "{" }), "InvalidAttributeValue", "Policy");
});

test("a FIFO queue has its own attributes", async (t) => {
  const shown = await (await makeFifo(t)).attributes();
  assert.equal(shown.FifoQueue, "true");
  assert.equal(shown.ContentBasedDeduplication, "true");
  assert.equal(shown.DeduplicationScope, "queue");
});

test("a KMS key replaces encryption by SQS", async (t) => {
  const queue = await makeQueue(t);
  await queue.set({ KmsMasterKeyId: "alias/aws/sqs" });
  const shown = await queue.attributes();
  assert.equal(shown.KmsMasterKeyId, "alias/aws/sqs");
  assert.equal(shown.SqsManagedSseEnabled, "false");
});

test("tags are added, changed and removed", async (t) => {
  const queue = await makeQueue(t, {}, { tags: { team: "vision" } });
  const QueueUrl = queue.url;
  await sqs.tagQueue({ QueueUrl, Tags: { a: "1", team: "speech", größe: "五" } });
  assert.deepEqual((await sqs.listQueueTags({ QueueUrl })).Tags, { team: "speech", a: "1", größe: "五" });
  await sqs.untagQueue({ QueueUrl, TagKeys: ["a", "größe", "not there"] });
  assert.deepEqual((await sqs.listQueueTags({ QueueUrl })).Tags, { team: "speech" });
  await refused(sqs.tagQueue({ QueueUrl, Tags: { ["k".repeat(129)]: "v" } }), "InvalidParameterValue", "in length");
});
