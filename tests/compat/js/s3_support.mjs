// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of S3: a client, and buckets for one test each.
import assert from "node:assert/strict";
import http from "node:http";
import { S3 } from "@aws-sdk/client-s3";
import { connect, uniqueName } from "./support.mjs";

export const s3 = connect(S3);
export const MIB = 1 << 20;
export const PART = 5 * MIB; // the least size of every part but the last

// The SDK prefers the bucket in the host's name, which is impossible with an address. So the server is
// called localhost, and *.localhost resolves to this machine, whatever the resolver does.
export function byHostName() {
  const lookup = (_, options, done) =>
    options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
  const endpoint = process.env.AWS_ENDPOINT_URL.replace("127.0.0.1", "localhost");
  return connect(S3, { endpoint, requestHandler: { httpAgent: new http.Agent({ lookup }) } });
}

class Bucket {
  constructor(client, name) {
    Object.assign(this, { client, name });
  }
  put(Key, Body = "", more = {}) {
    return this.client.putObject({ Bucket: this.name, Key, Body, ...more });
  }
  // Reads the body: an unread one keeps the connection, and so the test, from ending.
  async get(Key, more = {}) {
    const answer = await this.client.getObject({ Bucket: this.name, Key, ...more });
    return { ...answer, Body: Buffer.from(await answer.Body.transformToByteArray()) };
  }
  async read(Key, more = {}) {
    return (await this.get(Key, more)).Body;
  }
  async text(Key, more = {}) {
    return (await this.read(Key, more)).toString();
  }
  head(Key, more = {}) {
    return this.client.headObject({ Bucket: this.name, Key, ...more });
  }
  remove(Key, more = {}) {
    return this.client.deleteObject({ Bucket: this.name, Key, ...more });
  }
  copy(from, Key, more = {}) {
    const CopySource = `${this.name}/${encodeURIComponent(from)}`;
    return this.client.copyObject({ Bucket: this.name, Key, CopySource, ...more });
  }
  async keys(more = {}) {
    const shown = await this.client.listObjectsV2({ Bucket: this.name, ...more });
    return (shown.Contents ?? []).map((one) => one.Key);
  }
  setVersioning(Status) {
    return this.client.putBucketVersioning({ Bucket: this.name, VersioningConfiguration: { Status } });
  }
  get arn() {
    return `arn:aws:s3:::${this.name}`;
  }
  async end() {
    const at = { Bucket: this.name };
    for (;;) {
      const page = await this.client.listObjectVersions(at);
      const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
      if (!found.length) break;
      const Objects = found.map(({ Key, VersionId }) => ({ Key, VersionId }));
      await this.client.deleteObjects({ ...at, Delete: { Objects, Quiet: true } });
    }
    for (const { Key, UploadId } of (await this.client.listMultipartUploads(at)).Uploads ?? [])
      // The test itself may have aborted the upload meanwhile.
      await this.client.abortMultipartUpload({ ...at, Key, UploadId }).catch((error) => {
        if (error.name !== "NoSuchUpload") throw error;
      });
    await this.client.deleteBucket(at);
  }
}

// A new bucket, emptied and deleted when the test `t` ends.
export async function makeBucket(t, { client = s3, name = uniqueName(), ...more } = {}) {
  await client.createBucket({ Bucket: name, ...more });
  const bucket = new Bucket(client, name);
  t.after(() => bucket.end().catch((error) => assert.equal(error.name, "NoSuchBucket", error)));
  return bucket;
}

// HTTP without a key, like a browser's.
export async function ask(url, options = {}) {
  const answer = await fetch(url, options);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

// The call must fail with this status: the response to HEAD has no body with a code.
export const status = (wanted) => (error) => {
  assert.equal(error.$metadata?.httpStatusCode, wanted, String(error));
  return true;
};
