// SPDX-License-Identifier: Apache-2.0
// FIFO queues: order, groups, deduplication.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFifo, refused } from "./support.mjs";

const bodies = (messages) => messages.map((message) => message.Body);

async function sendAll(queue, ...pairs) {
  for (const [MessageGroupId, body] of pairs) await queue.send(body, { MessageGroupId });
}

test("a group is received in the order of sending, with ascending numbers", async (t) => {
  const queue = await makeFifo(t);
  const numbers = [];
  for (const body of "abcde") numbers.push((await queue.send(body, { MessageGroupId: "g" })).SequenceNumber);
  assert.deepEqual(numbers, [...numbers].sort());
  const got = await queue.receiveAll(5, { MessageSystemAttributeNames: ["All"] });
  assert.deepEqual(bodies(got), [..."abcde"]);
  assert.deepEqual(got.map((message) => message.Attributes.SequenceNumber), numbers);
});

test("a held message blocks its group and no other", async (t) => {
  const queue = await makeFifo(t);
  await sendAll(queue, ["a", "a1"], ["a", "a2"], ["b", "b1"]);
  const first = await queue.receiveOne();
  assert.equal(first.Body, "a1");
  assert.equal((await queue.receiveOne()).Body, "b1");
  assert.deepEqual(await queue.receive(), []);
  await queue.remove(first);
  assert.equal((await queue.receiveOne()).Body, "a2");
});

test("the order is the same after a visibility timeout", async (t) => {
  const queue = await makeFifo(t);
  await sendAll(queue, ["a", "1"], ["a", "2"], ["a", "3"]);
  await queue.receiveAll(2, { VisibilityTimeout: 1 });
  assert.deepEqual(bodies(await queue.receive({ MaxNumberOfMessages: 10, WaitTimeSeconds: 20 })), ["1", "2", "3"]);
});

test("a batch keeps its order", async (t) => {
  const queue = await makeFifo(t);
  const letters = [..."abcdefghij"];
  const entries = letters.map((letter) => ({ Id: letter, MessageBody: letter, MessageGroupId: "g" }));
  await queue.sendBatch(entries);
  assert.deepEqual(bodies(await queue.receiveAll(10)), letters);
});

test("the same id is the same message", async (t) => {
  const queue = await makeFifo(t);
  const ids = { MessageGroupId: "g", MessageDeduplicationId: "d" };
  const first = await queue.send("one", ids);
  const again = await queue.send("two", ids);
  assert.equal(again.MessageId, first.MessageId);
  assert.equal(again.SequenceNumber, first.SequenceNumber);
  await queue.expectCounts({ visible: 1 });
});

test("the same body is the same message", async (t) => {
  const queue = await makeFifo(t);
  await sendAll(queue, ["g", "same"], ["g", "same"], ["g", "other"]);
  await queue.expectCounts({ visible: 2 });
});

test("with group scope the same id may occur in each group", async (t) => {
  const queue = await makeFifo(t, { DeduplicationScope: "messageGroup" });
  await sendAll(queue, ["g", "same"], ["h", "same"], ["h", "same"]);
  await queue.expectCounts({ visible: 2 });
});

test("the same receive attempt returns the same messages", async (t) => {
  const queue = await makeFifo(t);
  await sendAll(queue, ["a", "1"], ["a", "2"]);
  const attempt = { MaxNumberOfMessages: 10, ReceiveRequestAttemptId: "try", WaitTimeSeconds: 20 };
  const first = await queue.receive(attempt);
  const again = await queue.receive(attempt);
  assert.deepEqual(bodies(again), ["1", "2"]);
  assert.deepEqual(again.map((m) => m.MessageId), first.map((m) => m.MessageId));
});

test("an expired handle deletes nothing", async (t) => {
  const queue = await makeFifo(t);
  await sendAll(queue, ["a", "1"]);
  const message = await queue.receiveOne({ VisibilityTimeout: 0 });
  await refused(queue.remove(message), "InvalidParameterValue", "The receipt handle has expired");
});

test("invalid requests to a FIFO queue are rejected", async (t) => {
  const queue = await makeFifo(t, { ContentBasedDeduplication: "false" });
  const both = { MessageGroupId: "g", MessageDeduplicationId: "d" };
  await refused(queue.send("m"), "MissingParameter", "MessageGroupId");
  await refused(queue.send("m", { MessageGroupId: "g" }), "InvalidParameterValue", "ContentBasedDeduplication");
  await refused(queue.send("m", { ...both, DelaySeconds: 5 }), "InvalidParameterValue", "not valid for this queue type");
  await refused(queue.send("m", { ...both, MessageGroupId: "a b" }), "InvalidParameterValue", "MessageGroupId");
  const long = "x".repeat(129);
  await refused(
    queue.send("m", { ...both, MessageDeduplicationId: long }), "InvalidParameterValue", "MessageDeduplicationId");
});
