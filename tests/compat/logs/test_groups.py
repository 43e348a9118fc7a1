# SPDX-License-Identifier: Apache-2.0
"""Groups: names, lists, retention, protection, tags."""
import pytest

from support.queues import refused, unique_name


def described(logs, name):
    groups = logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    return [group for group in groups if group["logGroupName"] == name][0]


def test_a_group_is_described(logs, group, account):
    shown = described(logs, group.name)
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}"
    assert shown["arn"] == arn + ":*"
    assert shown["metricFilterCount"] == 0
    assert shown["storedBytes"] == 0
    assert "retentionInDays" not in shown and "kmsKeyId" not in shown
    # Older clients drop members that they do not know.
    assert shown.get("logGroupArn", arn) == arn
    assert shown.get("logGroupClass", "STANDARD") == "STANDARD"
    assert shown.get("deletionProtectionEnabled", False) is False


def test_a_group_exists_once(logs, group):
    with refused("ResourceAlreadyExistsException", "The specified log group already exists"):
        logs.create_log_group(logGroupName=group.name)


@pytest.mark.parametrize("name", ["with space", "a:b", "a*", "ü"])
def test_other_characters_are_rejected(connect, name):
    with refused("InvalidParameterException", "Member must satisfy regular expression pattern"):
        connect("logs", checked=False).create_log_group(logGroupName=name)


def test_a_longer_name_is_rejected(connect):
    with refused("InvalidParameterException", "less than or equal to 512"):
        connect("logs", checked=False).create_log_group(logGroupName="x" * 513)


@pytest.mark.parametrize("name", ["aws/lambda", "AWS/x", "Aws/x"])
def test_amazons_names_are_reserved(logs, name):
    with refused("InvalidParameterException", "Log groups starting with AWS/ are reserved for AWS."):
        logs.create_log_group(logGroupName=name)
    with refused("InvalidParameterException", "Log groups starting with AWS/ are reserved for AWS."):
        logs.create_log_stream(logGroupName=name, logStreamName="s")


def test_a_name_may_start_with_a_slash(make_group, logs):
    group = make_group("/aws/" + unique_name())
    assert described(logs, group.name)["logGroupName"] == group.name


def test_a_missing_group_is_named(logs):
    with refused("ResourceNotFoundException", "The specified log group does not exist."):
        logs.delete_log_group(logGroupName=unique_name())


def test_groups_are_listed_in_order_page_by_page(logs, make_group):
    prefix = unique_name("-")
    for letter in "dbace":
        make_group(prefix + letter)
    pages = list(logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=prefix, limit=2))
    assert [len(page["logGroups"]) for page in pages] == [2, 2, 1]
    assert [g["logGroupName"][-1] for page in pages for g in page["logGroups"]] == list("abcde")
    assert logs.describe_log_groups(logGroupNamePrefix=prefix + "x")["logGroups"] == []


def test_groups_are_found_by_a_part_of_their_names(logs, make_group):
    middle = unique_name()
    group = make_group("x" + middle + "y")
    shown = logs.describe_log_groups(logGroupNamePattern=middle)["logGroups"]
    assert [g["logGroupName"] for g in shown] == [group.name]
    assert "storedBytes" not in shown[0]
    with refused("InvalidParameterException", "mutually exclusive parameters"):
        logs.describe_log_groups(logGroupNamePattern=middle, logGroupNamePrefix=middle)


def test_a_limit_beyond_the_model_is_named_as_amazon_does(connect):
    with refused("InvalidParameterException", "1 validation error detected: Value '51' at 'limit' failed to satisfy"
                 " constraint: Member must have value less than or equal to 50"):
        connect("logs", checked=False).describe_log_groups(limit=51)


def test_list_log_groups_takes_a_small_regex(logs, make_group):
    if not hasattr(logs, "list_log_groups"):
        pytest.skip("this client does not know ListLogGroups")
    tag = unique_name()[-12:]
    for name in ("aa" + tag, "bb" + tag, "cc" + tag):
        make_group(name)
    answer = logs.list_log_groups(logGroupNamePattern=f"^aa{tag}|b{tag}")
    assert [g["logGroupName"][:2] for g in answer["logGroups"]] == ["aa", "bb"]
    with refused("InvalidParameterException", "fieldIndexNames"):
        logs.list_log_groups(fieldIndexNames=["x"])


def test_retention_has_amazons_values(logs, group):
    logs.put_retention_policy(logGroupName=group.name, retentionInDays=7)
    assert described(logs, group.name)["retentionInDays"] == 7
    with refused("InvalidParameterException", "retentionInDays"):
        logs.put_retention_policy(logGroupName=group.name, retentionInDays=8)
    logs.delete_retention_policy(logGroupName=group.name)
    assert "retentionInDays" not in described(logs, group.name)


def test_a_protected_group_is_not_deleted(logs, group, account):
    if not hasattr(logs, "put_log_group_deletion_protection"):
        pytest.skip("this client does not know deletion protection")
    logs.put_log_group_deletion_protection(logGroupIdentifier=group.name, deletionProtectionEnabled=True)
    assert described(logs, group.name)["deletionProtectionEnabled"] is True
    for call in (lambda: logs.delete_log_group(logGroupName=group.name),
                 lambda: logs.delete_log_stream(logGroupName=group.name, logStreamName="s")):
        with refused("ValidationException", "deletion protection"):
            call()
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}"
    logs.put_log_group_deletion_protection(logGroupIdentifier=arn, deletionProtectionEnabled=False)
    logs.delete_log_group(logGroupName=group.name)


def test_keys_are_rejected(logs, group, account):
    key = f"arn:aws:kms:us-east-1:{account}:key/00000000-0000-0000-0000-000000000000"
    with refused("InvalidParameterException", "The specified KMS Key Id could not be found."):
        logs.create_log_group(logGroupName=unique_name(), kmsKeyId=key)
    with refused("InvalidParameterException", f"could not be found. '{group.name}'"):
        logs.associate_kms_key(logGroupName=group.name, kmsKeyId=key)


def test_both_tag_apis_have_the_same_tags(logs, make_group, account):
    group = make_group(tags={"a": "1"})
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}"
    logs.tag_log_group(logGroupName=group.name, tags={"b": "2"})
    logs.tag_resource(resourceArn=arn, tags={"a": "3"})
    assert logs.list_tags_for_resource(resourceArn=arn)["tags"] == {"a": "3", "b": "2"}
    logs.untag_log_group(logGroupName=group.name, tags=["b", "absent"])
    logs.untag_resource(resourceArn=arn, tagKeys=["absent"])
    assert logs.list_tags_log_group(logGroupName=group.name)["tags"] == {"a": "3"}


def test_a_group_has_fifty_tags_at_most(logs, group, account):
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}"
    logs.tag_resource(resourceArn=arn, tags={f"k{i}": "" for i in range(50)})
    with refused("TooManyTagsException"):
        logs.tag_resource(resourceArn=arn, tags={"more": ""})


def test_a_group_belongs_to_its_account_and_region(connect, other_key, group):
    for client in (connect("logs", other_key), connect("logs", region="eu-west-1")):
        assert client.describe_log_groups(logGroupNamePrefix=group.name)["logGroups"] == []
        with refused("ResourceNotFoundException", "The specified log group does not exist."):
            client.filter_log_events(logGroupName=group.name)


def test_an_operation_that_is_not_there_is_named(logs, group):
    with refused("UnknownOperationException", "CreateExportTask"):
        logs.create_export_task(logGroupName=group.name, fromTime=0, to=1, destination="bucket")
