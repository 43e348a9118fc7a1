// SPDX-License-Identifier: Apache-2.0
// Buckets and their settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { S3, paginateListBuckets } from "@aws-sdk/client-s3";
import { connect, onAmazon, otherAccount, refused, sts, uniqueName } from "./support.mjs";
import { byHostName, makeBucket, s3, status } from "./s3_support.mjs";

test("a bucket is created, found, listed and deleted", async (t) => {
  const { name } = await makeBucket(t);
  assert.equal((await s3.headBucket({ Bucket: name })).BucketRegion, "us-east-1");
  assert.equal((await s3.getBucketLocation({ Bucket: name })).LocationConstraint, undefined);
  const shown = await s3.listBuckets({ Prefix: name });
  assert.deepEqual(shown.Buckets.map((one) => [one.Name, one.BucketRegion]), [[name, "us-east-1"]]);
  assert.ok(Math.abs(Date.now() - shown.Buckets[0].CreationDate) < 300_000);
  assert.equal(shown.Owner.ID.length, 64);
  await s3.deleteBucket({ Bucket: name });
  await assert.rejects(s3.headBucket({ Bucket: name }), status(404));
  await refused(s3.deleteBucket({ Bucket: name }), "NoSuchBucket", "does not exist");
});

test("a bucket of another region", async (t) => {
  const client = connect(S3, { region: "eu-west-1" });
  const bucket = await makeBucket(t, { client }); // the SDK names the region itself
  assert.equal((await client.getBucketLocation({ Bucket: bucket.name })).LocationConstraint, "eu-west-1");
  await refused(client.createBucket({ Bucket: bucket.name }), "BucketAlreadyOwnedByYou");
});

for (const name of ["Upper", "ab", "under_score", "192.168.5.4"]) {
  test(`the bucket name ${name} is rejected`, async () => {
    await refused(s3.createBucket({ Bucket: name }), "InvalidBucketName", "not valid");
  });
}

test("buckets are listed in pages", async (t) => {
  const stem = uniqueName();
  for (const letter of "abcde") await makeBucket(t, { name: `${stem}-${letter}` });
  const pages = [];
  for await (const page of paginateListBuckets({ client: s3, pageSize: 2 }, { Prefix: stem }))
    pages.push(page.Buckets.map((one) => one.Name.at(-1)).join(""));
  assert.deepEqual(pages, ["ab", "cd", "e"]);
});

test("a bucket with objects cannot be deleted", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("key", "x");
  await refused(s3.deleteBucket({ Bucket: bucket.name }), "BucketNotEmpty", "is not empty");
});

test("another account cannot use a bucket", { skip: onAmazon }, async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("key", "x");
  const other = otherAccount(S3);
  await refused(other.createBucket({ Bucket: bucket.name }), "BucketAlreadyExists");
  await refused(other.listObjectsV2({ Bucket: bucket.name }), "AccessDenied");
  await refused(other.getObject({ Bucket: bucket.name, Key: "key" }), "AccessDenied");
});

test("an unexpected bucket owner is rejected", async (t) => {
  const bucket = await makeBucket(t);
  const { Account } = await sts.getCallerIdentity({});
  await bucket.put("key", "x", { ExpectedBucketOwner: Account });
  await refused(bucket.put("key", "y", { ExpectedBucketOwner: "999999999999" }), "AccessDenied");
});

test("settings are stored, returned and removed", async (t) => {
  const { name: Bucket } = await makeBucket(t);
  await refused(s3.getBucketTagging({ Bucket }), "NoSuchTagSet");
  const TagSet = [{ Key: "a", Value: "ü" }];
  await s3.putBucketTagging({ Bucket, Tagging: { TagSet } });
  assert.deepEqual((await s3.getBucketTagging({ Bucket })).TagSet, TagSet);
  await s3.deleteBucketTagging({ Bucket });
  await refused(s3.getBucketTagging({ Bucket }), "NoSuchTagSet");

  await refused(s3.getBucketCors({ Bucket }), "NoSuchCORSConfiguration");
  const CORSRules = [{ AllowedMethods: ["GET"], AllowedOrigins: ["*"], MaxAgeSeconds: 5 }];
  await s3.putBucketCors({ Bucket, CORSConfiguration: { CORSRules } });
  assert.deepEqual((await s3.getBucketCors({ Bucket })).CORSRules, CORSRules);

  await refused(s3.getBucketLifecycleConfiguration({ Bucket }), "NoSuchLifecycleConfiguration");
  const Rules = [{ ID: "r", Status: "Enabled", Filter: { Prefix: "tmp/" }, Expiration: { Days: 3 } }];
  await s3.putBucketLifecycleConfiguration({ Bucket, LifecycleConfiguration: { Rules } });
  assert.deepEqual((await s3.getBucketLifecycleConfiguration({ Bucket })).Rules, Rules);

  await refused(s3.getBucketPolicy({ Bucket }), "NoSuchBucketPolicy");
  const encryption = (await s3.getBucketEncryption({ Bucket })).ServerSideEncryptionConfiguration.Rules[0];
  assert.equal(encryption.ApplyServerSideEncryptionByDefault.SSEAlgorithm, "AES256");
  const controls = (await s3.getBucketOwnershipControls({ Bucket })).OwnershipControls;
  assert.deepEqual(controls.Rules, [{ ObjectOwnership: "BucketOwnerEnforced" }]);
  const block = (await s3.getPublicAccessBlock({ Bucket })).PublicAccessBlockConfiguration;
  assert.deepEqual(Object.values(block), [true, true, true, true]);
  assert.equal((await s3.getBucketAcl({ Bucket })).Grants[0].Permission, "FULL_CONTROL");
  assert.equal((await s3.getBucketVersioning({ Bucket })).Status, undefined);
});

test("buckets as host names", { skip: onAmazon }, async (t) => {
  const bucket = await makeBucket(t, { client: byHostName() });
  for (const key of ["key", "a folder/ü + %", "/leading", bucket.name]) {
    await bucket.put(key, key);
    assert.equal(await bucket.text(key), key);
  }
  await bucket.copy("key", "copy");
  assert.deepEqual(await bucket.keys({ Prefix: "k" }), ["key"]);
  assert.equal(await (await s3.getObject({ Bucket: bucket.name, Key: "copy" })).Body.transformToString(), "key");
});
