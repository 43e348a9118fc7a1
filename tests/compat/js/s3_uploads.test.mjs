// SPDX-License-Identifier: Apache-2.0
// Streams, parts and checksums: the SDK sends checksums in trailers.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { test } from "node:test";
import { Upload } from "@aws-sdk/lib-storage";
import { md5, refused } from "./support.mjs";
import { MIB, PART, makeBucket, s3 } from "./s3_support.mjs";

const ALGORITHMS = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"];
const BIG = Buffer.alloc(PART, "big");

// A stream of pieces, like a socket's: its length is unknown.
function stream(size, piece = 100_003) {
  const made = [];
  const read = function* () {
    for (let left = size; left > 0; left -= piece) {
      const bytes = Buffer.alloc(Math.min(piece, left), String(left % 10));
      made.push(bytes);
      yield bytes;
    }
  };
  return { body: Readable.from(read()), whole: () => Buffer.concat(made) };
}

for (const ChecksumAlgorithm of ALGORITHMS) {
  test(`${ChecksumAlgorithm} of a buffer and of a stream`, async (t) => {
    const bucket = await makeBucket(t);
    const field = `Checksum${ChecksumAlgorithm}`;
    const plain = await bucket.put("buffer", "some bytes", { ChecksumAlgorithm });
    assert.ok(plain[field]);
    const head = await bucket.head("buffer", { ChecksumMode: "ENABLED" });
    assert.deepEqual([head[field], head.ChecksumType], [plain[field], "FULL_OBJECT"]);
    const { body, whole } = stream(300_000);
    const put = await bucket.put("stream", body, { ChecksumAlgorithm, ContentLength: 300_000 });
    assert.ok(put[field]);
    assert.ok((await bucket.read("stream")).equals(whole())); // the SDK verifies the checksum
    assert.equal(put.ETag, `"${md5(whole())}"`);
    assert.equal((await bucket.head("stream")).ContentEncoding, undefined);
  });

  test(`a wrong ${ChecksumAlgorithm} stores nothing`, async (t) => {
    const bucket = await makeBucket(t);
    const field = `Checksum${ChecksumAlgorithm}`;
    const { [field]: other } = await bucket.put("other", "other", { ChecksumAlgorithm });
    await refused(bucket.put("key", "some bytes", { [field]: other }), "BadDigest", ChecksumAlgorithm);
    assert.deepEqual(await bucket.keys(), ["other"]);
  });

  test(`an upload in parts with ${ChecksumAlgorithm}`, async (t) => {
    const bucket = await makeBucket(t);
    const at = { Bucket: bucket.name, Key: "key" };
    const made = await s3.createMultipartUpload({ ...at, ChecksumAlgorithm });
    assert.equal(made.ChecksumType, ChecksumAlgorithm === "CRC64NVME" ? "FULL_OBJECT" : "COMPOSITE");
    const { UploadId } = made;
    const Parts = [];
    for (const [i, Body] of [BIG, Buffer.from("end")].entries()) {
      const PartNumber = i + 1;
      const { ETag, [`Checksum${ChecksumAlgorithm}`]: value } = await s3.uploadPart({
        ...at, UploadId, PartNumber, Body, ChecksumAlgorithm,
      });
      Parts.push({ PartNumber, ETag, [`Checksum${ChecksumAlgorithm}`]: value });
    }
    const done = await s3.completeMultipartUpload({ ...at, UploadId, MultipartUpload: { Parts } });
    assert.equal(done[`Checksum${ChecksumAlgorithm}`].endsWith("-2"), ChecksumAlgorithm !== "CRC64NVME");
    assert.ok((await bucket.read("key")).equals(Buffer.concat([BIG, Buffer.from("end")])));
  });
}

test("a stream of unknown length is uploaded in parts", async (t) => {
  const bucket = await makeBucket(t);
  const { body, whole } = stream(2 * PART + 12_345);
  const params = { Bucket: bucket.name, Key: "key", Body: body, ContentType: "text/own", Metadata: { a: "b" } };
  const upload = new Upload({ client: s3, params, partSize: PART, queueSize: 3 });
  const seen = [];
  upload.on("httpUploadProgress", ({ loaded }) => seen.push(loaded));
  const done = await upload.done();
  assert.equal(Math.max(...seen), whole().length);
  assert.match(done.ETag, /-3"$/);
  const head = await bucket.head("key");
  assert.deepEqual([head.ContentType, head.Metadata, head.ContentLength], ["text/own", { a: "b" }, whole().length]);
  assert.ok((await bucket.read("key")).equals(whole()));
});

test("a short stream is uploaded in one request", async (t) => {
  const bucket = await makeBucket(t);
  const { body, whole } = stream(1000);
  const upload = new Upload({ client: s3, params: { Bucket: bucket.name, Key: "key", Body: body } });
  assert.doesNotMatch((await upload.done()).ETag, /-/);
  assert.ok((await bucket.read("key")).equals(whole()));
});

test("an aborted upload leaves nothing", async (t) => {
  const bucket = await makeBucket(t);
  const { body } = stream(20 * MIB);
  const upload = new Upload({ client: s3, params: { Bucket: bucket.name, Key: "key", Body: body }, partSize: PART });
  upload.once("httpUploadProgress", () => upload.abort());
  await assert.rejects(upload.done(), { name: "AbortError" });
  assert.deepEqual(await bucket.keys(), []);
});

test("invalid parts cannot be completed", async (t) => {
  const bucket = await makeBucket(t);
  const at = { Bucket: bucket.name, Key: "key" };
  const { UploadId } = await s3.createMultipartUpload(at);
  const part = async (PartNumber, Body) => ({ PartNumber, ...(await s3.uploadPart({ ...at, UploadId, PartNumber, Body })) });
  // The upload was created without a checksum algorithm: S3 finds no part by a checksum.
  const clean = ({ PartNumber, ETag }) => ({ PartNumber, ETag });
  const parts = [clean(await part(1, "small")), clean(await part(2, "end"))];
  const complete = (Parts) => s3.completeMultipartUpload({ ...at, UploadId, MultipartUpload: { Parts } });
  await refused(complete(parts), "EntityTooSmall", "smaller than the minimum");
  await refused(complete([...parts].reverse()), "InvalidPartOrder");
  await refused(complete([{ ...parts[0], ETag: '"wrong"' }]), "InvalidPart");
  const listed = await s3.listParts({ ...at, UploadId });
  assert.deepEqual(listed.Parts.map((one) => [one.PartNumber, one.Size]), [[1, 5], [2, 3]]);
  const uploads = await s3.listMultipartUploads({ Bucket: bucket.name });
  assert.deepEqual(uploads.Uploads.map((one) => one.UploadId), [UploadId]);
  await s3.abortMultipartUpload({ ...at, UploadId });
  await refused(complete(parts), "NoSuchUpload");
});

test("parts are copied", async (t) => {
  const bucket = await makeBucket(t);
  await bucket.put("source", BIG);
  const at = { Bucket: bucket.name, Key: "key" };
  const { UploadId } = await s3.createMultipartUpload(at);
  const CopySource = `${bucket.name}/source`;
  const Parts = [];
  for (const [i, range] of [`bytes=0-${PART - 1}`, "bytes=3-5"].entries()) {
    const answer = await s3.uploadPartCopy({ ...at, UploadId, PartNumber: i + 1, CopySource, CopySourceRange: range });
    const { ETag, ChecksumCRC32 } = answer.CopyPartResult;
    Parts.push({ PartNumber: i + 1, ETag, ChecksumCRC32 });
  }
  await s3.completeMultipartUpload({ ...at, UploadId, MultipartUpload: { Parts } });
  const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");
  assert.equal(hash(await bucket.read("key")), hash(Buffer.concat([BIG, BIG.subarray(3, 6)])));
});
