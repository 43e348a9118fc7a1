// SPDX-License-Identifier: Apache-2.0
// Objects: bodies, conditions, ranges, copies, versions, tags.
import assert from "node:assert/strict";
import { test } from "node:test";
import { md5, refused } from "./support.mjs";
import { makeBucket, s3, status } from "./s3_support.mjs";

const KEYS = ["plain", "with space", "plus+", "100%25", "ques?tion", "ha#sh", "a&b=c", "ünï/漢字/🚀", "/leading",
  "trailing/", "double//slash", "a/../b", "a/./b", "quote'\"", "<xml>", "x".repeat(1024)];

for (const body of ["", "x", "y".repeat(65536), "z".repeat(65537), "w".repeat(1_000_000)]) {
  test(`${body.length} bytes are returned unchanged`, async (t) => {
    const bucket = await makeBucket(t);
    assert.equal((await bucket.put("key", body)).ETag, `"${md5(body)}"`);
    const got = await bucket.get("key");
    assert.deepEqual([got.ContentLength, got.ETag, got.ContentType], [body.length, `"${md5(body)}"`, "application/octet-stream"]);
    assert.equal(got.Body.toString(), body);
  });
}

for (const key of KEYS) {
  test(`the key ${key.slice(0, 20)} is returned unchanged`, async (t) => {
    const bucket = await makeBucket(t);
    await bucket.put(key, key);
    assert.equal(await bucket.text(key), key);
    assert.deepEqual(await bucket.keys({ Prefix: key }), [key]);
    await bucket.copy(key, "copy");
    assert.equal(await bucket.text("copy"), key);
    const gone = await s3.deleteObjects({ Bucket: bucket.name, Delete: { Objects: [{ Key: key }] } });
    assert.deepEqual(gone.Deleted, [{ Key: key }]);
    assert.deepEqual(await bucket.keys(), ["copy"]);
  });
}

test("the headers and metadata of an object", async (t) => {
  const bucket = await makeBucket(t);
  const settings = {
    CacheControl: "no-cache", ContentDisposition: 'attachment; filename="a b"', ContentLanguage: "de",
    ContentType: "text/own", Metadata: { a: "b", c: "" }, StorageClass: "STANDARD_IA",
  };
  await bucket.put("key", "x", { ...settings, Tagging: "t=1&u=%C3%BC" });
  const head = await bucket.head("key");
  for (const name of Object.keys(settings)) assert.deepEqual(head[name], settings[name]);
  assert.equal((await bucket.get("key")).TagCount, 2);
  const { TagSet } = await s3.getObjectTagging({ Bucket: bucket.name, Key: "key" });
  assert.deepEqual(TagSet.sort((a, b) => a.Key.localeCompare(b.Key)), [{ Key: "t", Value: "1" }, { Key: "u", Value: "ü" }]);
  const attributes = await s3.getObjectAttributes({ Bucket: bucket.name, Key: "key", ObjectAttributes: ["ObjectSize", "ETag"] });
  assert.deepEqual([attributes.ObjectSize, attributes.ETag], [1, md5("x")]);
});

test("missing objects are reported", async (t) => {
  const bucket = await makeBucket(t);
  await refused(bucket.get("nothing"), "NoSuchKey", "does not exist");
  await assert.rejects(bucket.head("nothing"), status(404));
  assert.equal((await bucket.remove("nothing")).$metadata.httpStatusCode, 204);
});

test("ranges", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("key", "0123456789");
  const got = await bucket.get("key", { Range: "bytes=2-4" });
  assert.deepEqual([got.ContentRange, got.Body.toString()], ["bytes 2-4/10", "234"]);
  assert.equal(await bucket.text("key", { Range: "bytes=-3" }), "789");
  await refused(bucket.get("key", { Range: "bytes=10-" }), "InvalidRange");
});

test("conditions", async (t) => {
  const bucket = await makeBucket(t);
  const { ETag } = await bucket.put("key", "x", { IfNoneMatch: "*" });
  await refused(bucket.put("key", "y", { IfNoneMatch: "*" }), "PreconditionFailed");
  await refused(bucket.put("key", "y", { IfMatch: '"other"' }), "PreconditionFailed");
  await assert.rejects(bucket.get("key", { IfNoneMatch: ETag }), status(304));
  await refused(bucket.get("key", { IfMatch: '"other"' }), "PreconditionFailed");
  await bucket.put("key", "z", { IfMatch: ETag });
  assert.equal(await bucket.text("key"), "z");
});

test("versions and markers", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.setVersioning("Enabled");
  const first = (await bucket.put("key", "1")).VersionId;
  const second = (await bucket.put("key", "2")).VersionId;
  const marker = await bucket.remove("key");
  assert.equal(marker.DeleteMarker, true);
  await refused(bucket.get("key"), "NoSuchKey");
  await refused(bucket.get("key", { VersionId: marker.VersionId }), "MethodNotAllowed");
  assert.equal(await bucket.text("key", { VersionId: first }), "1");
  const shown = await s3.listObjectVersions({ Bucket: bucket.name });
  assert.deepEqual(shown.Versions.map((one) => one.VersionId), [second, first]);
  assert.deepEqual(shown.DeleteMarkers.map((one) => [one.VersionId, one.IsLatest]), [[marker.VersionId, true]]);
  await bucket.remove("key", { VersionId: marker.VersionId });
  assert.equal(await bucket.text("key"), "2");
  await bucket.remove("key", { VersionId: second });
  assert.equal(await bucket.text("key"), "1");
});

test("copies", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("key", "x", { Metadata: { a: "b" }, ContentType: "text/own" });
  await bucket.copy("key", "same");
  assert.deepEqual((await bucket.head("same")).Metadata, { a: "b" });
  await bucket.copy("key", "new", { MetadataDirective: "REPLACE", Metadata: { c: "d" } });
  assert.deepEqual((await bucket.head("new")).Metadata, { c: "d" });
  await refused(bucket.copy("key", "key"), "InvalidRequest", "without changing");
  await refused(bucket.copy("nothing", "copy"), "NoSuchKey");
});

test("listings with common prefixes and in pages", async (t) => {
  const bucket = await makeBucket(t);
  for (const key of ["a", "b/1", "b/2", "c"]) await bucket.put(key, "");
  const folded = await s3.listObjectsV2({ Bucket: bucket.name, Delimiter: "/" });
  assert.deepEqual(folded.Contents.map((one) => one.Key), ["a", "c"]);
  assert.deepEqual(folded.CommonPrefixes, [{ Prefix: "b/" }]);
  const first = await s3.listObjectsV2({ Bucket: bucket.name, MaxKeys: 3 });
  assert.deepEqual([first.KeyCount, first.IsTruncated], [3, true]);
  assert.deepEqual(await bucket.keys({ ContinuationToken: first.NextContinuationToken }), ["c"]);
  assert.deepEqual(await bucket.keys({ StartAfter: "b/1" }), ["b/2", "c"]);
  const old = await s3.listObjects({ Bucket: bucket.name, MaxKeys: 2, Delimiter: "/" });
  assert.deepEqual([old.NextMarker, old.IsTruncated], ["b/", true]);
});
