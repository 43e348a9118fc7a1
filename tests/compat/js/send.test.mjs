// SPDX-License-Identifier: Apache-2.0
// SendMessage and SendMessageBatch. The SDK verifies the MD5 of every response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeQueue, md5, refused } from "./support.mjs";

const PREFIX = "AWS.SimpleQueueService.";
const text = (StringValue, DataType = "String") => ({ DataType, StringValue });
const bytes = (...values) => ({ DataType: "Binary", BinaryValue: Uint8Array.from(values) });

// By the SQS guide: name, type, a byte for the kind of value, value; each with its length.
function md5OfAttributes(attributes) {
  const sized = (data) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return [length, data];
  };
  const pieces = Object.keys(attributes).sort().flatMap((name) => {
    const { DataType, StringValue, BinaryValue } = attributes[name];
    const value = BinaryValue ? Buffer.from(BinaryValue) : Buffer.from(StringValue);
    const kind = Buffer.from([BinaryValue ? 2 : 1]);
    return [...sized(Buffer.from(name)), ...sized(Buffer.from(DataType)), kind, ...sized(value)];
  });
  return md5(Buffer.concat(pieces));
}

test("a message is received unchanged", async (t) => {
  const queue = await makeQueue(t);
  const body = ' tabs\t, lines\n, "quotes", <tags> & 漢字 🚀 ';
  const sent = await queue.send(body);
  assert.equal(sent.MD5OfMessageBody, md5(body));
  const got = await queue.receiveOne();
  assert.deepEqual([got.MessageId, got.Body, got.MD5OfBody], [sent.MessageId, body, md5(body)]);
  assert.equal(got.Attributes, undefined);
});

for (const body of ["\0", "a\x01", "\uFFFE", "\uFFFF"]) {
  test(`${JSON.stringify(body)} cannot be sent`, async (t) => {
    await refused((await makeQueue(t)).send(body), "InvalidMessageContents", "");
  });
}

test("an empty body is rejected", async (t) => {
  await refused((await makeQueue(t)).send(""), "MissingParameter", "MessageBody");
});

test("a body is one mebibyte at most", async (t) => {
  const queue = await makeQueue(t);
  const body = "x".repeat(1048576);
  await queue.send(body);
  assert.equal((await queue.receiveOne()).Body, body);
  await refused(queue.send(body + "x"), "InvalidParameterValue", "shorter than 1048576 bytes");
});

test("a queue may have a smaller size limit", async (t) => {
  const queue = await makeQueue(t, { MaximumMessageSize: "1024" });
  await queue.send("x".repeat(1024));
  await refused(queue.send("é".repeat(513)), "InvalidParameterValue", "shorter than 1024 bytes");
});

test("attributes of every type are received unchanged", async (t) => {
  const queue = await makeQueue(t);
  const MessageAttributes = {
    text: text("a value"),
    count: text("42", "Number"),
    real: text("-3.5e10", "Number.float"),
    bytes: bytes(0, 1, 255),
    "with.dots-and_more": text("é", "String.own"),
  };
  const sent = await queue.send("m", { MessageAttributes });
  assert.equal(sent.MD5OfMessageAttributes, md5OfAttributes(MessageAttributes));
  const got = await queue.receiveOne({ MessageAttributeNames: ["All"] });
  assert.deepEqual(Object.keys(got.MessageAttributes).sort(), Object.keys(MessageAttributes).sort());
  assert.deepEqual(Buffer.from(got.MessageAttributes.bytes.BinaryValue), Buffer.from([0, 1, 255]));
  assert.equal(got.MessageAttributes.real.StringValue, "-3.5e10");
  assert.equal(got.MD5OfMessageAttributes, md5OfAttributes(MessageAttributes));
});

const BAD_ATTRIBUTES = [
  [{ a: text("v", "Text") }, "supported type prefixes"],
  [{ a: text("v", "") }, "non-empty message attribute type"],
  [{ a: text("") }, "non-empty value of type"],
  [{ a: text("one", "Number") }, "to a number"],
  [{ "a b": text("v") }, "name"],
  [{ "AWS.x": text("v") }, "name"],
  [{ ".a": text("v") }, "name"],
  [Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a${i}`, text("v")])), "[11] exceeds the allowed maximum [10]"],
];
for (const [attributes, part] of BAD_ATTRIBUTES) {
  test(`attributes ${JSON.stringify(attributes).slice(0, 60)} are rejected`, async (t) => {
    await refused((await makeQueue(t)).send("m", { MessageAttributes: attributes }), "InvalidParameterValue", part);
  });
}

test("a trace header is received with the message", async (t) => {
  const queue = await makeQueue(t);
  const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1";
  await queue.send("m", { MessageSystemAttributes: { AWSTraceHeader: text(trace) } });
  const got = await queue.receiveOne({ MessageSystemAttributeNames: ["AWSTraceHeader"] });
  assert.deepEqual(got.Attributes, { AWSTraceHeader: trace });
});

test("a delayed message is received after its delay", async (t) => {
  const queue = await makeQueue(t);
  await queue.send("late", { DelaySeconds: 900 });
  await queue.expectCounts({ delayed: 1 });
  await queue.send("soon", { DelaySeconds: 1 });
  assert.equal((await queue.receiveOne()).Body, "soon");
  await refused(queue.send("m", { DelaySeconds: 901 }), "InvalidParameterValue", "DelaySeconds must be >= 0 and <= 900");
});

test("the default delay is the queue's", async (t) => {
  const queue = await makeQueue(t, { DelaySeconds: "900" });
  await queue.send("waits");
  await queue.send("at once", { DelaySeconds: 0 });
  await queue.expectCounts({ visible: 1, delayed: 1 });
});

const entries = (count) => Array.from({ length: count }, (_, i) => ({ Id: `e${i}`, MessageBody: `m${i}` }));

test("ten messages are sent in one request", async (t) => {
  const queue = await makeQueue(t);
  const answer = await queue.sendBatch(entries(10));
  assert.deepEqual(answer.Successful.map((entry) => entry.Id), entries(10).map((entry) => entry.Id));
  assert.equal(answer.Failed?.length ?? 0, 0);
  const got = await queue.receiveAll(10);
  assert.deepEqual(got.map((message) => message.Body).sort(), entries(10).map((entry) => entry.MessageBody).sort());
});

test("an invalid entry fails alone", async (t) => {
  const queue = await makeQueue(t);
  const late = { Id: "late", MessageBody: "m", DelaySeconds: 901 };
  const answer = await queue.sendBatch([{ Id: "empty", MessageBody: "" }, { Id: "good", MessageBody: "m" }, late]);
  assert.deepEqual(answer.Successful.map((entry) => entry.Id), ["good"]);
  const failed = answer.Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]);
  assert.deepEqual(failed, [["empty", "MissingParameter", true], ["late", "InvalidParameterValue", true]]);
});

test("invalid batches are rejected", async (t) => {
  const queue = await makeQueue(t);
  await refused(queue.sendBatch([]), `${PREFIX}EmptyBatchRequest`, "at least one SendMessageBatchRequestEntry");
  await refused(queue.sendBatch(entries(11)), `${PREFIX}TooManyEntriesInBatchRequest`, "You have sent 11.");
  await refused(queue.sendBatch([...entries(1), ...entries(1)]), `${PREFIX}BatchEntryIdsNotDistinct`, "Id e0 repeated.");
  for (const Id of ["", "a b", "x".repeat(81)]) {
    await refused(queue.sendBatch([{ Id, MessageBody: "m" }]), `${PREFIX}InvalidBatchEntryId`, "batch entry id");
  }
  const large = ["a", "b"].map((Id) => ({ Id, MessageBody: "x".repeat(524289) }));
  await refused(queue.sendBatch(large), `${PREFIX}BatchRequestTooLong`, "cannot be longer than 1048576 bytes");
  await queue.expectCounts();
});
