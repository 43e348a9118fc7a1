# SPDX-License-Identifier: Apache-2.0
"""Settings of a bucket: setting, returning and removing them."""
import pytest

from support.buckets import refused
from support.queues import unique_name

TAGS = [{"Key": "team", "Value": "vision"}, {"Key": "empty", "Value": ""}, {"Key": "ключ", "Value": "a+b=c @:/_-."}]


def test_tags(s3, bucket):
    with refused("NoSuchTagSet", 404, "The TagSet does not exist"):
        s3.get_bucket_tagging(Bucket=bucket.name)
    answer = s3.put_bucket_tagging(Bucket=bucket.name, Tagging={"TagSet": TAGS})
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204

    def shown():
        return sorted((tag["Key"], tag["Value"]) for tag in s3.get_bucket_tagging(Bucket=bucket.name)["TagSet"])

    assert shown() == sorted((tag["Key"], tag["Value"]) for tag in TAGS)
    s3.put_bucket_tagging(Bucket=bucket.name, Tagging={"TagSet": TAGS[:1]})
    assert shown() == [("team", "vision")]
    s3.delete_bucket_tagging(Bucket=bucket.name)
    with refused("NoSuchTagSet", 404):
        s3.get_bucket_tagging(Bucket=bucket.name)


@pytest.mark.parametrize(
    "tags",
    [
        [{"Key": "twice", "Value": "1"}, {"Key": "twice", "Value": "2"}],
        [{"Key": "x" * 129, "Value": "v"}],
        [{"Key": "k", "Value": "x" * 257}],
        [{"Key": "aws:mine", "Value": "v"}],
    ],
)
def test_invalid_tags_are_rejected(s3, bucket, tags):
    with refused("InvalidTag", 400):
        s3.put_bucket_tagging(Bucket=bucket.name, Tagging={"TagSet": tags})


def test_versioning(s3, bucket):
    assert "Status" not in s3.get_bucket_versioning(Bucket=bucket.name)
    for status in ("Enabled", "Suspended", "Enabled"):
        bucket.set_versioning(status)
        assert s3.get_bucket_versioning(Bucket=bucket.name)["Status"] == status
    with refused(("MalformedXML", "IllegalVersioningConfigurationException"), 400):
        bucket.set_versioning("Perhaps")
    assert s3.get_bucket_versioning(Bucket=bucket.name)["Status"] == "Enabled"


RULE = {
    "ID": "all",
    "AllowedMethods": ["GET", "PUT"],
    "AllowedOrigins": ["https://*.example.com"],
    "AllowedHeaders": ["*"],
    "ExposeHeaders": ["ETag"],
    "MaxAgeSeconds": 30,
}


def test_cors(s3, bucket):
    with refused("NoSuchCORSConfiguration", 404, "The CORS configuration does not exist"):
        s3.get_bucket_cors(Bucket=bucket.name)
    rules = [RULE, {"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}]
    s3.put_bucket_cors(Bucket=bucket.name, CORSConfiguration={"CORSRules": rules})
    assert s3.get_bucket_cors(Bucket=bucket.name)["CORSRules"] == rules
    s3.delete_bucket_cors(Bucket=bucket.name)
    with refused("NoSuchCORSConfiguration", 404):
        s3.get_bucket_cors(Bucket=bucket.name)


@pytest.mark.parametrize(
    "rule, part",
    [
        ({**RULE, "AllowedMethods": ["PATCH"]}, "PATCH"),
        ({**RULE, "AllowedOrigins": ["https://*.*.com"]}, "wildcard"),
        ({**RULE, "AllowedHeaders": ["x-*-*"]}, "wildcard"),
    ],
)
def test_invalid_cors_rules_are_rejected(s3, bucket, rule, part):
    with refused("InvalidRequest", 400, part):
        s3.put_bucket_cors(Bucket=bucket.name, CORSConfiguration={"CORSRules": [rule]})


def lifecycle(s3, bucket, *rules):
    s3.put_bucket_lifecycle_configuration(Bucket=bucket.name, LifecycleConfiguration={"Rules": list(rules)})
    return s3.get_bucket_lifecycle_configuration(Bucket=bucket.name)["Rules"]


def test_lifecycle(s3, bucket):
    with refused("NoSuchLifecycleConfiguration", 404, "The lifecycle configuration does not exist"):
        s3.get_bucket_lifecycle_configuration(Bucket=bucket.name)
    rules = [
        {"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "tmp/"}, "Expiration": {"Days": 30}},
        {
            "ID": "uploads",
            "Status": "Disabled",
            "Filter": {"Prefix": ""},
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
        },
        {
            "ID": "versions",
            "Status": "Enabled",
            "Filter": {"And": {"Prefix": "a", "Tags": [{"Key": "k", "Value": "v"}, {"Key": "l", "Value": "w"}]}},
            "NoncurrentVersionExpiration": {"NoncurrentDays": 3, "NewerNoncurrentVersions": 2},
        },
        {"ID": "tagged", "Status": "Enabled", "Filter": {"Tag": {"Key": "k", "Value": "v"}}, "Expiration": {"Days": 1}},
    ]
    shown = lifecycle(s3, bucket, *rules)
    assert sorted(shown, key=lambda rule: rule["ID"]) == sorted(rules, key=lambda rule: rule["ID"])
    s3.delete_bucket_lifecycle(Bucket=bucket.name)
    with refused("NoSuchLifecycleConfiguration", 404):
        s3.get_bucket_lifecycle_configuration(Bucket=bucket.name)


def test_a_rule_without_an_id_gets_one(s3, bucket):
    (shown,) = lifecycle(s3, bucket, {"Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}})
    assert shown["ID"]


def rule(**more):
    return {"ID": "r", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}, **more}


@pytest.mark.parametrize(
    "rules",
    [
        [rule(), rule()],
        [rule(Expiration={"Days": 0})],
        [rule(Expiration={"Days": -1})],
        [rule(ID="x" * 256)],
        [rule(Status="Maybe")],
        [{"ID": "r", "Status": "Enabled", "Filter": {"Prefix": ""}}],
        [rule(Expiration={"Date": "2030-01-01T12:00:00Z"})],
        [rule(Filter={"Prefix": "a", "Tag": {"Key": "k", "Value": "v"}})],
    ],
)
def test_invalid_lifecycles_are_rejected(s3, bucket, rules):
    with refused(("InvalidArgument", "InvalidRequest", "MalformedXML"), 400):
        lifecycle(s3, bucket, *rules)
    with refused("NoSuchLifecycleConfiguration", 404):
        s3.get_bucket_lifecycle_configuration(Bucket=bucket.name)


def encryption(s3, bucket):
    answer = s3.get_bucket_encryption(Bucket=bucket.name)["ServerSideEncryptionConfiguration"]
    (only,) = answer["Rules"]
    return only["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"], only.get("BucketKeyEnabled")


def test_a_bucket_always_has_an_encryption_configuration(s3, bucket):
    assert encryption(s3, bucket) == ("AES256", False)
    rules = [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}, "BucketKeyEnabled": True}]
    s3.put_bucket_encryption(Bucket=bucket.name, ServerSideEncryptionConfiguration={"Rules": rules})
    assert encryption(s3, bucket) == ("AES256", True)
    key = "arn:aws:kms:us-east-1:000000000000:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    rules = [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key},
              "BucketKeyEnabled": True}]
    s3.put_bucket_encryption(Bucket=bucket.name, ServerSideEncryptionConfiguration={"Rules": rules})
    shown = s3.get_bucket_encryption(Bucket=bucket.name)["ServerSideEncryptionConfiguration"]["Rules"]
    assert [{name: rule[name] for name in rules[0]} for rule in shown] == rules
    s3.delete_bucket_encryption(Bucket=bucket.name)
    assert encryption(s3, bucket) == ("AES256", False)


def ownership(s3, bucket):
    (only,) = s3.get_bucket_ownership_controls(Bucket=bucket.name)["OwnershipControls"]["Rules"]
    return only["ObjectOwnership"]


def test_objects_belong_to_the_bucket_s_owner(s3, bucket):
    assert ownership(s3, bucket) == "BucketOwnerEnforced"
    enforced = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    s3.put_bucket_ownership_controls(Bucket=bucket.name, OwnershipControls=enforced)
    assert ownership(s3, bucket) == "BucketOwnerEnforced"
    with refused("MalformedXML", 400):
        nobody = {"Rules": [{"ObjectOwnership": "Nobody"}]}
        s3.put_bucket_ownership_controls(Bucket=bucket.name, OwnershipControls=nobody)
    s3.delete_bucket_ownership_controls(Bucket=bucket.name)
    with refused("OwnershipControlsNotFoundError", 404):
        s3.get_bucket_ownership_controls(Bucket=bucket.name)


def test_the_acl_grants_the_owner_full_control(s3, bucket):
    bucket.put("key", b"x")
    owner = s3.list_buckets()["Owner"]["ID"]
    for answer in (s3.get_bucket_acl(Bucket=bucket.name), s3.get_object_acl(Bucket=bucket.name, Key="key")):
        assert answer["Owner"]["ID"] == owner
        (grant,) = answer["Grants"]
        assert grant["Permission"] == "FULL_CONTROL"
        assert (grant["Grantee"]["Type"], grant["Grantee"]["ID"]) == ("CanonicalUser", owner)
    with refused("NoSuchKey", 404):
        s3.get_object_acl(Bucket=bucket.name, Key="nothing")


def test_acls_are_disabled(s3, bucket):
    bucket.put("key", b"x")
    with refused("AccessControlListNotSupported", 400, "The bucket does not allow ACLs"):
        s3.put_bucket_acl(Bucket=bucket.name, ACL="public-read")
    with refused("AccessControlListNotSupported", 400):
        s3.put_object_acl(Bucket=bucket.name, Key="key", ACL="public-read")
    with refused("AccessControlListNotSupported", 400):
        bucket.put("other", b"x", ACL="public-read")
    assert not bucket.has("other")
    bucket.put("other", b"x", ACL="bucket-owner-full-control")
    assert bucket.has("other")


ALL_BLOCKED = dict.fromkeys(
    ["BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"], True
)


def test_public_access_is_blocked_by_default(s3, bucket):
    def shown():
        return s3.get_public_access_block(Bucket=bucket.name)["PublicAccessBlockConfiguration"]

    assert shown() == ALL_BLOCKED
    some = {**ALL_BLOCKED, "BlockPublicPolicy": False}
    s3.put_public_access_block(Bucket=bucket.name, PublicAccessBlockConfiguration=some)
    assert shown() == some
    s3.put_public_access_block(Bucket=bucket.name, PublicAccessBlockConfiguration={"BlockPublicAcls": True})
    assert shown() == {**dict.fromkeys(ALL_BLOCKED, False), "BlockPublicAcls": True}
    s3.delete_public_access_block(Bucket=bucket.name)
    with refused("NoSuchPublicAccessBlockConfiguration", 404, "The public access block configuration was not found"):
        shown()


def test_absent_configurations_are_reported(s3, bucket):
    name = bucket.name
    with refused("NoSuchWebsiteConfiguration", 404):
        s3.get_bucket_website(Bucket=name)
    with refused("ReplicationConfigurationNotFoundError", 404):
        s3.get_bucket_replication(Bucket=name)
    with refused("ObjectLockConfigurationNotFoundError", 404):
        s3.get_object_lock_configuration(Bucket=name)
    assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=name)
    assert s3.get_bucket_request_payment(Bucket=name)["Payer"] == "BucketOwner"
    assert "Status" not in s3.get_bucket_accelerate_configuration(Bucket=name)


def test_absent_configurations_can_be_removed(s3, bucket):
    s3.delete_bucket_website(Bucket=bucket.name)
    s3.delete_bucket_replication(Bucket=bucket.name)
    s3.put_bucket_logging(Bucket=bucket.name, BucketLoggingStatus={})
    assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=bucket.name)
    s3.put_bucket_request_payment(Bucket=bucket.name, RequestPaymentConfiguration={"Payer": "BucketOwner"})
    for remove in (s3.delete_bucket_website, s3.delete_bucket_replication):
        with refused("NoSuchBucket", 404):
            remove(Bucket="nobodys-bucket-of-settings")


def test_transfer_acceleration(connect, s3, make_bucket):
    name = make_bucket().name
    for status in ("Enabled", "Suspended"):
        s3.put_bucket_accelerate_configuration(Bucket=name, AccelerateConfiguration={"Status": status})
        assert s3.get_bucket_accelerate_configuration(Bucket=name)["Status"] == status
    for invalid in ({}, {"Status": "enabled"}):
        with refused("MalformedXML", 400):
            connect("s3", checked=False).put_bucket_accelerate_configuration(Bucket=name, AccelerateConfiguration=invalid)
    with refused("InvalidRequest", 400, "not supported for buckets with periods"):
        s3.put_bucket_accelerate_configuration(
            Bucket=make_bucket(name + ".dotted").name, AccelerateConfiguration={"Status": "Enabled"})


@pytest.mark.parametrize("kind", ["analytics", "intelligent_tiering", "inventory", "metrics"])
def test_there_are_no_configurations_by_id(s3, bucket, kind):
    listed = getattr(s3, f"list_bucket_{kind}_configurations")(Bucket=bucket.name)
    assert listed["IsTruncated"] is False and not any(name.endswith("List") for name in listed)
    with refused("NoSuchConfiguration", 404, "The specified configuration does not exist."):
        getattr(s3, f"get_bucket_{kind}_configuration")(Bucket=bucket.name, Id="x")
    with refused("NoSuchConfiguration", 404, "The specified configuration does not exist."):
        getattr(s3, f"delete_bucket_{kind}_configuration")(Bucket=bucket.name, Id="x")
    with refused("NoSuchBucket", 404):
        getattr(s3, f"list_bucket_{kind}_configurations")(Bucket="nobodys-bucket-" + kind.replace("_", "-"))


SETTINGS = ["tagging", "versioning", "cors", "lifecycle_configuration", "encryption", "ownership_controls", "acl"]
SETTINGS += ["policy", "policy_status", "notification_configuration", "website", "replication", "logging"]
SETTINGS += ["request_payment", "accelerate_configuration", "location"]


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_of_a_missing_bucket(s3, setting):
    with refused("NoSuchBucket", 404, "The specified bucket does not exist"):
        getattr(s3, f"get_bucket_{setting}")(Bucket=unique_name())


@pytest.mark.parametrize("setting", SETTINGS)
def test_only_the_owner_may_use_the_settings(other_s3, bucket, setting):
    with refused("AccessDenied", 403):
        getattr(other_s3, f"get_bucket_{setting}")(Bucket=bucket.name)
