// SPDX-License-Identifier: Apache-2.0
// Presigned URLs, forms, policies and notifications.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { makeQueue, refused } from "./support.mjs";
import { ask, makeBucket, s3 } from "./s3_support.mjs";

const url = (Command, bucket, Key, more = {}, expiresIn = 60) =>
  getSignedUrl(s3, new Command({ Bucket: bucket.name, Key, ...more }), { expiresIn });

test("a presigned URL needs no key", async (t) => {
  const bucket = await makeBucket(t);
  const put = await ask(await url(PutObjectCommand, bucket, "a key/ü"), { method: "PUT", body: "from a browser" });
  assert.equal(put.status, 200, put.text);
  const got = await ask(await url(GetObjectCommand, bucket, "a key/ü", { ResponseContentType: "text/own" }));
  assert.equal(got.text, "from a browser");
  assert.equal(got.headers.get("content-type"), "text/own");
  const gone = await ask(await url(DeleteObjectCommand, bucket, "a key/ü"), { method: "DELETE" });
  assert.equal(gone.status, 204);
  assert.deepEqual(await bucket.keys(), []);
});

test("x-amz- names in the query of a presigned URL count as headers", async (t) => {
  const bucket = await makeBucket(t);
  const settings = { Metadata: { a: "b c" }, StorageClass: "STANDARD_IA", Tagging: "t=1" };
  const put = await ask(await url(PutObjectCommand, bucket, "key", settings), { method: "PUT", body: "x" });
  assert.equal(put.status, 200, put.text);
  const got = await bucket.get("key");
  assert.deepEqual([got.Metadata, got.StorageClass, got.TagCount], [{ a: "b c" }, "STANDARD_IA", 1]);
});

test("a presigned URL is valid for its request only", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("key", "x");
  await bucket.put("other", "y");
  const good = await url(GetObjectCommand, bucket, "key");
  for (const [wrong, method] of [[good.replace("/key", "/other"), "GET"], [good, "DELETE"], [`${good}0`, "GET"]]) {
    const answer = await ask(wrong, { method });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /<Code>SignatureDoesNotMatch<\/Code>/);
  }
  const past = new Date(Date.now() - 3_600_000);
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: "key" });
  const late = await ask(await getSignedUrl(s3, command, { expiresIn: 60, signingDate: past }));
  assert.equal(late.status, 403);
  assert.match(late.text, /Request has expired/);
});

test("a form is posted", async (t) => {
  const bucket = await makeBucket(t);
  const Conditions = [["content-length-range", 0, 100], ["starts-with", "$Content-Type", "text/"]];
  const post = await createPresignedPost(s3, {
    Bucket: bucket.name, Key: "in/${filename}", Conditions, Fields: { "x-amz-meta-a": "b" }, Expires: 60,
  });
  const send = async (content, type = "text/plain") => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...post.fields, "Content-Type": type })) form.append(name, value);
    form.append("file", new Blob([content]), "my file.txt");
    return ask(post.url, { method: "POST", body: form });
  };
  assert.equal((await send("hello")).status, 204);
  assert.equal(await bucket.text("in/my file.txt"), "hello");
  assert.deepEqual((await bucket.head("in/my file.txt")).Metadata, { a: "b" });
  assert.equal((await send("x".repeat(101))).status, 400);
  assert.equal((await send("x", "image/png")).status, 403);
});

test("a public object needs no signature", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("open/key", "x");
  await bucket.put("closed", "y");
  const { name: Bucket } = bucket;
  const Statement = [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `${bucket.arn}/open/*` }];
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
  await refused(s3.putBucketPolicy({ Bucket, Policy }), "AccessDenied");
  await s3.deletePublicAccessBlock({ Bucket });
  await s3.putBucketPolicy({ Bucket, Policy });
  assert.equal((await s3.getBucketPolicyStatus({ Bucket })).PolicyStatus.IsPublic, true);
  const at = (key) => `${process.env.AWS_ENDPOINT_URL}/${Bucket}/${key}`;
  assert.equal((await ask(at("open/key"))).text, "x");
  assert.equal((await ask(at("closed"))).status, 403);
  assert.equal((await ask(at("open/key"), { method: "DELETE" })).status, 403);
});

test("events are published to queues", async (t) => {
  const bucket = await makeBucket(t);
  const queue = await makeQueue(t);
  const QueueArn = await queue.arn();
  const allow = { Effect: "Allow", Principal: { Service: "s3.amazonaws.com" }, Action: "sqs:SendMessage", Resource: QueueArn };
  const Condition = { ArnLike: { "aws:SourceArn": bucket.arn } };
  const configure = () =>
    s3.putBucketNotificationConfiguration({
      Bucket: bucket.name,
      NotificationConfiguration: {
        QueueConfigurations: [{
          QueueArn,
          Events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:Delete"],
          Filter: { Key: { FilterRules: [{ Name: "prefix", Value: "in/" }] } },
        }],
      },
    });
  await refused(configure(), "InvalidArgument", "Unable to validate the following destination configurations");
  await queue.set({ Policy: JSON.stringify({ Version: "2012-10-17", Statement: [{ ...allow, Condition }] }) });
  await configure();
  const next = async () => {
    const message = await queue.receiveOne();
    await queue.remove(message);
    return JSON.parse(message.Body);
  };
  assert.equal((await next()).Event, "s3:TestEvent");
  await bucket.put("out", "x");
  await bucket.put("in/a b", "12345");
  const [record] = (await next()).Records;
  assert.deepEqual([record.eventName, record.s3.object.key, record.s3.object.size], ["ObjectCreated:Put", "in/a+b", 5]);
  await bucket.copy("out", "in/copy");
  assert.equal((await next()).Records[0].eventName, "ObjectCreated:Copy");
  await bucket.remove("in/copy");
  assert.equal((await next()).Records[0].eventName, "ObjectRemoved:Delete");
  await queue.expectCounts();
});
