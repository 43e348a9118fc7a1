// SPDX-License-Identifier: Apache-2.0
// Receiving, long polls, deleting, visibility timeouts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_QUEUE, makeQueue, redrive, refused, sqs } from "./support.mjs";

const PREFIX = "AWS.SimpleQueueService.";
const ids = (count) => Array.from({ length: count }, (_, i) => String(i));
const fill = (queue, count) => queue.sendBatch(ids(count).map((Id) => ({ Id, MessageBody: Id })));

const TRIES = 3;
const poll = (queue) => queue.receive({ WaitTimeSeconds: 20 });

// Starts a long poll, and returns as soon as it waits: it moves a message that was received too often to the dead-letter
// queue, whose count shows that the poll has run.
async function startWaiting(t, queue) {
  const dead = await makeQueue(t);
  await queue.set({ RedrivePolicy: redrive(await dead.arn(), 2) });
  await queue.send("received too often");
  for (let i = 0; i < 2; i += 1) await queue.receiveOne({ VisibilityTimeout: 0 });
  const messages = poll(queue);
  messages.catch(() => {});
  await dead.expectCounts({ visible: 1 });
  return { messages };
}

// The poll of this test must end before its time is over: before a poll that began to wait earlier. If it does not, it was
// not woken, or the machine stood still for as long as a poll lasts: then the test is repeated.
function testOfAnEarlyEnd(name, scenario) {
  test(name, async (t) => {
    for (let i = 0; i < TRIES; i += 1) {
      const empty = await makeQueue(t);
      let ended = false;
      const other = (await startWaiting(t, empty)).messages.finally(() => (ended = true));
      await scenario(t);
      if (!ended) {
        await empty.send("ends the other poll");
        await other;
        return;
      }
    }
    assert.fail("each poll lasted longer than one that began before it");
  });
}

test("an empty queue returns no messages", async (t) => {
  const queue = await makeQueue(t);
  assert.equal((await sqs.receiveMessage({ QueueUrl: queue.url })).Messages, undefined);
});

for (const most of [1, 3, 10]) {
  test(`at most ${most} of ${most} requested messages are received`, async (t) => {
    const queue = await makeQueue(t);
    await fill(queue, 10);
    const got = await queue.receive({ MaxNumberOfMessages: most, WaitTimeSeconds: 20 });
    assert.ok(got.length >= 1 && got.length <= most);
  });
}

const RANGES = [
  ["MaxNumberOfMessages", [0, 11]],
  ["WaitTimeSeconds", [-1, 21]],
  ["VisibilityTimeout", [-1, 43201]],
];
for (const [name, values] of RANGES) {
  test(`${name} has its limits`, async (t) => {
    const queue = await makeQueue(t);
    for (const value of values) {
      const part = `Value ${value} for parameter ${name} is invalid. Reason: Must be`;
      await refused(queue.receive({ [name]: value }), "InvalidParameterValue", part);
    }
  });
}

test("a message that was not deleted is received again", async (t) => {
  const queue = await makeQueue(t);
  await queue.send("again");
  const first = await queue.receiveOne({ VisibilityTimeout: 1 });
  const second = await queue.receiveOne({ MessageSystemAttributeNames: ["All"] });
  assert.equal(second.MessageId, first.MessageId);
  assert.notEqual(second.ReceiptHandle, first.ReceiptHandle);
  assert.equal(second.Attributes.ApproximateReceiveCount, "2");
});

test("a timeout of zero leaves the message visible", async (t) => {
  const queue = await makeQueue(t);
  await queue.send();
  await queue.receiveOne({ VisibilityTimeout: 0 });
  await queue.receiveOne({ VisibilityTimeout: 0 });
});

test("system attributes by the older and the newer name", async (t) => {
  const queue = await makeQueue(t);
  await queue.send();
  for (const name of ["AttributeNames", "MessageSystemAttributeNames"]) {
    const got = await queue.receiveOne({ [name]: ["SentTimestamp"], VisibilityTimeout: 0 });
    assert.deepEqual(Object.keys(got.Attributes), ["SentTimestamp"]);
  }
  await refused(queue.receive({ AttributeNames: ["Colour"] }), "InvalidAttributeName", "Colour");
});

test("message attributes are chosen by name, prefix or all", async (t) => {
  const queue = await makeQueue(t);
  const value = { DataType: "String", StringValue: "v" };
  await queue.send("m", { MessageAttributes: { "job.id": value, "job.kind": value, other: value } });
  const shown = async (...names) => {
    const got = await queue.receiveOne({ MessageAttributeNames: names, VisibilityTimeout: 0 });
    return Object.keys(got.MessageAttributes ?? {}).sort();
  };
  assert.deepEqual(await shown(), []);
  assert.deepEqual(await shown("All"), ["job.id", "job.kind", "other"]);
  assert.deepEqual(await shown(".*"), ["job.id", "job.kind", "other"]);
  assert.deepEqual(await shown("job.*"), ["job.id", "job.kind"]);
  assert.deepEqual(await shown("other", "not there"), ["other"]);
});

testOfAnEarlyEnd("a message ends the wait", async (t) => {
  const queue = await makeQueue(t);
  const waiting = await startWaiting(t, queue);
  await queue.send("wake up");
  assert.deepEqual((await waiting.messages).map((message) => message.Body), ["wake up"]);
});

testOfAnEarlyEnd("the end of a delay ends the wait", async (t) => {
  const queue = await makeQueue(t);
  await queue.send("late", { DelaySeconds: 1 });
  assert.equal((await poll(queue)).length, 1);
});

testOfAnEarlyEnd("the end of a visibility timeout ends the wait", async (t) => {
  const queue = await makeQueue(t);
  await queue.send("again");
  await queue.receiveOne({ VisibilityTimeout: 1 });
  assert.equal((await poll(queue)).length, 1);
});

testOfAnEarlyEnd("a released message ends the wait", async (t) => {
  const queue = await makeQueue(t);
  await queue.send("given back");
  const held = await queue.receiveOne({ VisibilityTimeout: 600 });
  const waiting = await startWaiting(t, queue);
  await queue.hide(held, 0);
  assert.equal((await waiting.messages).length, 1);
});

testOfAnEarlyEnd("deleting the queue ends the wait", async (t) => {
  const queue = await makeQueue(t);
  const waiting = await startWaiting(t, queue);
  await sqs.deleteQueue({ QueueUrl: queue.url });
  await refused(waiting.messages, NO_QUEUE, "does not exist");
});

test("a deleted message is gone, and deleting twice is no error", async (t) => {
  const queue = await makeQueue(t);
  await queue.send();
  const message = await queue.receiveOne({ VisibilityTimeout: 1 });
  await queue.remove(message);
  await queue.remove(message);
  await queue.expectCounts();
});

test("an older handle is accepted", async (t) => {
  const queue = await makeQueue(t);
  await queue.send();
  const older = await queue.receiveOne({ VisibilityTimeout: 0 });
  const newer = await queue.receiveOne();
  await queue.remove(older);
  await queue.remove(newer);
  await queue.expectCounts();
});

test("an invalid handle, or another queue's, is rejected", async (t) => {
  const [one, other] = [await makeQueue(t), await makeQueue(t)];
  await one.send();
  const message = await one.receiveOne();
  const part = "is not a valid receipt handle";
  for (const handle of ["garbage", "QUFBQQ==", message.ReceiptHandle]) {
    await refused(other.remove({ ReceiptHandle: handle }), "ReceiptHandleIsInvalid", part);
    await refused(other.hide({ ReceiptHandle: handle }, 1), "ReceiptHandleIsInvalid", part);
  }
});

test("a visibility timeout is extended, and ended", async (t) => {
  const queue = await makeQueue(t);
  await queue.send();
  const message = await queue.receiveOne({ VisibilityTimeout: 2 });
  await queue.hide(message, 600);
  assert.deepEqual(await queue.receive({ WaitTimeSeconds: 3 }), []);
  await queue.hide(message, 0);
  await queue.receiveOne();
});

test("the visibility of a deleted message cannot change", async (t) => {
  const queue = await makeQueue(t);
  await queue.send();
  const message = await queue.receiveOne();
  await refused(queue.hide(message, 43201), "InvalidParameterValue", "VisibilityTimeout");
  await queue.remove(message);
  await refused(queue.hide(message, 10), "InvalidParameterValue", "Message does not exist or is not available");
});

test("entries of batches fail alone", async (t) => {
  const queue = await makeQueue(t);
  await fill(queue, 3);
  const [a, b, c] = (await queue.receiveAll(3)).map((message) => message.ReceiptHandle);
  const hidden = await sqs.changeMessageVisibilityBatch({
    QueueUrl: queue.url,
    Entries: [
      { Id: "a", ReceiptHandle: a, VisibilityTimeout: 0 },
      { Id: "x", ReceiptHandle: "garbage", VisibilityTimeout: 0 },
    ],
  });
  assert.deepEqual(hidden.Successful.map((entry) => entry.Id), ["a"]);
  assert.deepEqual(hidden.Failed.map((entry) => entry.Code), ["ReceiptHandleIsInvalid"]);
  const Entries = [b, c, "garbage"].map((ReceiptHandle, i) => ({ Id: `e${i}`, ReceiptHandle }));
  const gone = await sqs.deleteMessageBatch({ QueueUrl: queue.url, Entries });
  assert.deepEqual(gone.Successful.map((entry) => entry.Id), ["e0", "e1"]);
  assert.deepEqual(gone.Failed.map((entry) => entry.Id), ["e2"]);
  await queue.expectCounts({ visible: 1 });
  const none = sqs.deleteMessageBatch({ QueueUrl: queue.url, Entries: [] });
  await refused(none, `${PREFIX}EmptyBatchRequest`, "DeleteMessageBatchRequestEntry");
});
