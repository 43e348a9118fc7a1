// SPDX-License-Identifier: Apache-2.0
// Accounts, permissions, regions, sessions and keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SQS } from "@aws-sdk/client-sqs";
import { STS } from "@aws-sdk/client-sts";
import {
  NO_QUEUE, OTHER_ACCOUNT, connect, makeQueue, onAmazon, otherAccount, refused, sqs, sts, stoker,
} from "./support.mjs";

const ours = { skip: onAmazon && "needs a server of our own" };
const share = (queue, Actions, Label = "label") =>
  sqs.addPermission({ QueueUrl: queue.url, Label, AWSAccountIds: [OTHER_ACCOUNT], Actions });
const sendAs = (client, queue) => client.sendMessage({ QueueUrl: queue.url, MessageBody: "from outside" });

test("a key belongs to its account", async () => {
  const { Account, Arn } = await sts.getCallerIdentity({});
  assert.match(Account, /^\d{12}$/);
  assert.ok(Arn.startsWith(`arn:aws:iam::${Account}:`));
});

test("a key of another account has that account", ours, async () => {
  assert.equal((await otherAccount(STS).getCallerIdentity({})).Account, OTHER_ACCOUNT);
});

test("another account can neither see nor use a queue", ours, async (t) => {
  const queue = await makeQueue(t);
  const other = otherAccount();
  assert.equal((await other.listQueues({ QueueNamePrefix: queue.name })).QueueUrls, undefined);
  await refused(other.getQueueUrl({ QueueName: queue.name }), NO_QUEUE, "does not exist");
  // Amazon responds with AccessDenied; here such a queue does not exist (docs/compatibility.md).
  await assert.rejects(sendAs(other, queue), (error) => ["AccessDenied", NO_QUEUE].includes(error.Code));
});

test("a permission allows another account only its action", ours, async (t) => {
  const queue = await makeQueue(t);
  const other = otherAccount();
  await share(queue, ["SendMessage", "GetQueueUrl"]);
  await sendAs(other, queue);
  const { Account } = await sts.getCallerIdentity({});
  const found = await other.getQueueUrl({ QueueName: queue.name, QueueOwnerAWSAccountId: Account });
  assert.equal(found.QueueUrl, queue.url);
  await assert.rejects(other.receiveMessage({ QueueUrl: queue.url }));
  await sqs.removePermission({ QueueUrl: queue.url, Label: "label" });
  await assert.rejects(sendAs(other, queue));
});

test("labels of permissions are unique", ours, async (t) => {
  const queue = await makeQueue(t);
  await share(queue, ["SendMessage"]);
  await refused(share(queue, ["SendMessage"]), "InvalidParameterValue", "Already exists");
  const remove = sqs.removePermission({ QueueUrl: queue.url, Label: "nobody" });
  await refused(remove, "InvalidParameterValue", "can't find label");
  await refused(share(queue, ["CreateQueue"], "l"), "InvalidParameterValue", "Only the queue owner is allowed");
});

test("a deny overrides an allow", ours, async (t) => {
  const queue = await makeQueue(t);
  const base = { Principal: "*", Resource: await queue.arn() };
  const Statement = [
    { ...base, Effect: "Allow", Action: "sqs:*" },
    { ...base, Effect: "Deny", Action: "sqs:SendMessage" },
  ];
  await queue.set({ Policy: JSON.stringify({ Version: "2012-10-17", Statement }) });
  await refused(sendAs(otherAccount(), queue), "AccessDenied", "");
  await refused(queue.send(), "AccessDenied", "sqs:");
});

test("regions are separate", async (t) => {
  const queue = await makeQueue(t);
  const far = connect(SQS, { region: "eu-west-1" });
  await refused(far.getQueueUrl({ QueueName: queue.name }), NO_QUEUE, "does not exist");
  const theirs = await makeQueue(t, {}, { client: far, name: queue.name });
  await theirs.send("far away");
  await theirs.expectCounts({ visible: 1 });
  await queue.expectCounts();
});

async function session() {
  const { Credentials } = await sts.getSessionToken({ DurationSeconds: 900 });
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials;
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

test("a session belongs to its account and needs its token", async (t) => {
  const queue = await makeQueue(t);
  const credentials = await session();
  const found = await connect(SQS, { credentials }).getQueueUrl({ QueueName: queue.name });
  assert.equal(found.QueueUrl, queue.url);
  const { accessKeyId, secretAccessKey } = credentials;
  for (const sessionToken of [undefined, "wrong"]) {
    const client = connect(SQS, { credentials: { accessKeyId, secretAccessKey, sessionToken } });
    await refused(client.listQueues({}), "InvalidClientTokenId", "security token included in the request is invalid");
  }
});

test("a wrong secret and an unknown key are rejected", ours, async () => {
  const accessKeyId = process.env.AWS_ACCESS_KEY_ID;
  const wrong = connect(SQS, { credentials: { accessKeyId, secretAccessKey: "wrong" } });
  await refused(wrong.listQueues({}), "SignatureDoesNotMatch", "signature we calculated does not match");
  const unknown = connect(SQS, { credentials: { accessKeyId: "AKIAABCDEFGHIJKLMNOP", secretAccessKey: "x" } });
  await refused(unknown.listQueues({}), "InvalidClientTokenId", "security token");
});

test("a deleted key stops working at once", ours, async () => {
  const { key } = JSON.parse(stoker("key", "create", "--account", OTHER_ACCOUNT, "--json"));
  const client = connect(STS, { credentials: { accessKeyId: key.id, secretAccessKey: key.secret } });
  assert.equal((await client.getCallerIdentity({})).Account, OTHER_ACCOUNT);
  stoker("key", "delete", key.id);
  await refused(client.getCallerIdentity({}), "InvalidClientTokenId", "security token");
});
