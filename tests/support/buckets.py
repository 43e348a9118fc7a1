# SPDX-License-Identifier: Apache-2.0
"""Short forms of boto3's S3 calls, for one bucket."""
import contextlib

import botocore.exceptions
import pytest

from support.queues import unique_name

MIB = 1 << 20
PART = 5 * MIB  # the least size of every part but the last


class Bucket:
    def __init__(self, client, name=None, **more):
        self.client, self.name = client, name or unique_name()
        client.create_bucket(Bucket=self.name, **more)

    @property
    def arn(self):
        return f"arn:aws:s3:::{self.name}"

    def put(self, key, body=b"", **more):
        return self.client.put_object(Bucket=self.name, Key=key, Body=body, **more)

    def get(self, key, **more):
        """The response, with its Body read."""
        answer = self.client.get_object(Bucket=self.name, Key=key, **more)
        return {**answer, "Body": answer["Body"].read()}

    def read(self, key, **more):
        return self.get(key, **more)["Body"]

    def head(self, key, **more):
        return self.client.head_object(Bucket=self.name, Key=key, **more)

    def delete(self, key, **more):
        return self.client.delete_object(Bucket=self.name, Key=key, **more)

    def delete_many(self, *objects, **more):
        """`objects`: keys, or (key, version)."""
        named = [{"Key": o} if isinstance(o, str) else {"Key": o[0], "VersionId": o[1]} for o in objects]
        return self.client.delete_objects(Bucket=self.name, Delete={"Objects": named, **more})

    def copy(self, source, key, **more):
        """`source`: a key of this bucket, or a CopySource."""
        source = {"Bucket": self.name, "Key": source} if isinstance(source, str) else source
        return self.client.copy_object(Bucket=self.name, Key=key, CopySource=source, **more)

    def list(self, **more):
        return self.client.list_objects_v2(Bucket=self.name, **more)

    def keys(self, **more):
        return [found["Key"] for found in self.list(**more).get("Contents", [])]

    def has(self, key):
        return self.keys(Prefix=key, MaxKeys=1) == [key]

    def versions(self, **more):
        """(key, version, is the latest, is a marker), for versions, then for markers, each in the listing's order."""
        shown = self.client.list_object_versions(Bucket=self.name, **more)
        kinds = (("Versions", False), ("DeleteMarkers", True))
        return [(v["Key"], v["VersionId"], v["IsLatest"], marker) for name, marker in kinds for v in shown.get(name, [])]

    def set_versioning(self, status):
        self.client.put_bucket_versioning(Bucket=self.name, VersioningConfiguration={"Status": status})

    def open_to_the_public(self):
        """Allows public policies, which new buckets reject."""
        self.client.delete_public_access_block(Bucket=self.name)

    def start_upload(self, key, **more):
        return Upload(self, key, **more)

    def remove(self):
        """Deletes the bucket and its objects."""
        with contextlib.suppress(self.client.exceptions.NoSuchBucket):
            for page in self.client.get_paginator("list_object_versions").paginate(Bucket=self.name):
                found = page.get("Versions", []) + page.get("DeleteMarkers", [])
                if found:
                    self.delete_many(*((v["Key"], v["VersionId"]) for v in found), Quiet=True)
            for upload in self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", []):
                self.client.abort_multipart_upload(Bucket=self.name, Key=upload["Key"], UploadId=upload["UploadId"])
            self.client.delete_bucket(Bucket=self.name)


class Upload:
    """A multipart upload; `parts` is the argument of CompleteMultipartUpload."""

    def __init__(self, bucket, key, **more):
        self.client, self.at, self.parts = bucket.client, {"Bucket": bucket.name, "Key": key}, []
        self.answer = self.client.create_multipart_upload(**self.at, **more)
        self.id = self.answer["UploadId"]
        self.at["UploadId"] = self.id

    def put(self, number, body, **more):
        answer = self.client.upload_part(**self.at, PartNumber=number, Body=body, **more)
        self._note(number, answer)
        return answer

    def copy(self, number, source, **more):
        answer = self.client.upload_part_copy(**self.at, PartNumber=number, CopySource=source, **more)
        self._note(number, answer["CopyPartResult"])
        return answer["CopyPartResult"]

    def _note(self, number, answer):
        # Checksums are valid only if the upload was created with their algorithm; otherwise S3 does not find the part.
        kept = ("ETag", "Checksum") if "ChecksumAlgorithm" in self.answer else ("ETag",)
        part = {name: answer[name] for name in answer if name.startswith(kept)}
        self.parts = [p for p in self.parts if p["PartNumber"] != number] + [{"PartNumber": number, **part}]

    def list(self, **more):
        return self.client.list_parts(**self.at, **more)

    def complete(self, parts=None, **more):
        parts = self.parts if parts is None else parts
        return self.client.complete_multipart_upload(**self.at, MultipartUpload={"Parts": parts}, **more)

    def abort(self):
        return self.client.abort_multipart_upload(**self.at)


@contextlib.contextmanager
def refused(code, status=None, part=""):
    """The calls inside must fail with this code (or one of these), this status, and a message that contains this part."""
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        yield caught
    error, metadata = caught.value.response["Error"], caught.value.response["ResponseMetadata"]
    assert error["Code"] in ((code,) if isinstance(code, str) else code), error
    assert status is None or metadata["HTTPStatusCode"] == status, caught.value.response
    assert part in error["Message"], error


def knows(client, operation, member):
    shape = client.meta.service_model.operation_model(operation).input_shape
    return shape is not None and member in shape.members


def needs(client, operation, *members):
    """Skips the test if this client does not support these members."""
    missing = [member for member in members if not knows(client, operation, member)]
    if missing:
        pytest.skip(f"this boto3 knows no {', '.join(missing)} of {operation}")
