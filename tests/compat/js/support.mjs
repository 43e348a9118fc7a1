// SPDX-License-Identifier: Apache-2.0
// Shared by the tests: clients of the server in the environment
// (tests/support/with_server.py starts one), and queues for one test each.
// STOKER_COMPAT_ENDPOINT=amazon, without with_server.py, runs against Amazon.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SQS } from "@aws-sdk/client-sqs";
import { STS } from "@aws-sdk/client-sts";

export const onAmazon = process.env.STOKER_COMPAT_ENDPOINT === "amazon";
export const OTHER_ACCOUNT = "210987654321";
export const NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue";

const options = { maxAttempts: 1 };
export const sqs = new SQS(options);
export const sts = new STS(options);
export const connect = (Client, more) => new Client({ ...options, ...more });

export const uniqueName = (suffix = "") => `stoker-test-${randomUUID().slice(0, 13)}${suffix}`;
export const md5 = (data) => createHash("md5").update(data).digest("hex");

// The call must fail with this code and a message that contains this part.
export async function refused(call, code, part = "") {
  await assert.rejects(call, (error) => {
    assert.equal(error.Code ?? error.name, code, `${error.name}: ${error.message}`);
    assert.ok(error.message.includes(part), error.message);
    return true;
  });
}

// Returns the first true result of `check`. The deadline is one that a busy machine meets, too.
export async function eventually(check, seconds = 300) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await check();
    if (answer) return answer;
    assert.ok(Date.now() < deadline, `not within ${seconds} s`);
    await sleep(50);
  }
}

const COUNTS = {
  visible: "ApproximateNumberOfMessages",
  inFlight: "ApproximateNumberOfMessagesNotVisible",
  delayed: "ApproximateNumberOfMessagesDelayed",
};

class Queue {
  constructor(client, name, url) {
    Object.assign(this, { client, name, url });
  }
  send(body = "hello", more = {}) {
    return this.client.sendMessage({ QueueUrl: this.url, MessageBody: body, ...more });
  }
  sendBatch(entries) {
    return this.client.sendMessageBatch({ QueueUrl: this.url, Entries: entries });
  }
  async receive(more = {}) {
    return (await this.client.receiveMessage({ QueueUrl: this.url, ...more })).Messages ?? [];
  }
  async receiveOne(more = {}) {
    const messages = await this.receiveAll(1, { WaitTimeSeconds: 20, ...more });
    assert.equal(messages.length, 1);
    return messages[0];
  }
  // Receives `count` messages: on Amazon one receive may return fewer than there are.
  async receiveAll(count, more = {}) {
    const got = [];
    await eventually(async () => {
      const most = Math.min(10, count - got.length);
      got.push(...(await this.receive({ WaitTimeSeconds: 1, MaxNumberOfMessages: most, ...more })));
      return got.length >= count;
    });
    return got;
  }
  remove(message) {
    return this.client.deleteMessage({ QueueUrl: this.url, ReceiptHandle: message.ReceiptHandle });
  }
  hide(message, seconds) {
    const { ReceiptHandle } = message;
    return this.client.changeMessageVisibility({ QueueUrl: this.url, ReceiptHandle, VisibilityTimeout: seconds });
  }
  async attributes(...names) {
    const AttributeNames = names.length ? names : ["All"];
    return (await this.client.getQueueAttributes({ QueueUrl: this.url, AttributeNames })).Attributes ?? {};
  }
  set(attributes) {
    return this.client.setQueueAttributes({ QueueUrl: this.url, Attributes: attributes });
  }
  async arn() {
    return (await this.attributes("QueueArn")).QueueArn;
  }
  async expectCounts({ visible = 0, inFlight = 0, delayed = 0 } = {}) {
    const wanted = [visible, inFlight, delayed].join();
    await eventually(async () => {
      const shown = await this.attributes(...Object.values(COUNTS));
      return Object.values(COUNTS).map((name) => shown[name]).join() === wanted;
    });
  }
}

// A new queue, deleted when the test `t` ends.
export async function makeQueue(t, Attributes = {}, { client = sqs, tags, name } = {}) {
  const QueueName = name ?? uniqueName(Attributes.FifoQueue ? ".fifo" : "");
  const { QueueUrl } = await client.createQueue({ QueueName, Attributes, tags });
  t.after(() => client.deleteQueue({ QueueUrl }).catch(() => {}));
  return new Queue(client, QueueName, QueueUrl);
}

export const makeFifo = (t, more = {}) =>
  makeQueue(t, { FifoQueue: "true", ContentBasedDeduplication: "true", ...more });

export const redrive = (arn, count = 1) =>
  JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: count });

export function stoker(...args) {
  return execFileSync(process.env.STOKER_BIN, args, { encoding: "utf8", timeout: 300000 });
}

// The same service for another account, which needs a server of our own.
let other;
export function otherAccount(Client = SQS) {
  other ??= JSON.parse(stoker("key", "create", "--account", OTHER_ACCOUNT, "--json")).key;
  return connect(Client, { credentials: { accessKeyId: other.id, secretAccessKey: other.secret } });
}
