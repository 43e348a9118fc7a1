# SPDX-License-Identifier: Apache-2.0
"""Tags of queues."""
from support.queues import NO_QUEUE, refused


def tags_of(sqs, queue):
    return sqs.list_queue_tags(QueueUrl=queue.url).get("Tags", {})


def test_a_new_queue_has_no_tags(sqs, queue):
    assert "Tags" not in sqs.list_queue_tags(QueueUrl=queue.url)


def test_a_queue_can_be_created_with_tags(sqs, make_queue):
    assert tags_of(sqs, make_queue(tags={"team": "vision"})) == {"team": "vision"}


def test_tags_are_added_changed_and_removed(sqs, queue):
    sqs.tag_queue(QueueUrl=queue.url, Tags={"a": "1", "b": "2"})
    sqs.tag_queue(QueueUrl=queue.url, Tags={"b": "3", "empty": ""})
    assert tags_of(sqs, queue) == {"a": "1", "b": "3", "empty": ""}
    sqs.untag_queue(QueueUrl=queue.url, TagKeys=["a", "not there"])
    assert tags_of(sqs, queue) == {"b": "3", "empty": ""}


def test_a_tag_may_be_in_any_script(sqs, queue):
    sqs.tag_queue(QueueUrl=queue.url, Tags={"größe": "五"})
    assert tags_of(sqs, queue) == {"größe": "五"}


def test_a_key_of_128_and_a_value_of_256_characters_are_accepted(sqs, queue):
    tags = {"ü" * 128: "ü" * 256}
    sqs.tag_queue(QueueUrl=queue.url, Tags=tags)
    assert tags_of(sqs, queue) == tags


def test_a_tag_that_is_too_long_is_rejected(sqs, queue):
    for tags in ({"k" * 129: "v"}, {"k": "v" * 257}):
        with refused("InvalidParameterValue", "characters in length"):
            sqs.tag_queue(QueueUrl=queue.url, Tags=tags)


def test_a_queue_has_50_tags_at_most(sqs, queue):
    sqs.tag_queue(QueueUrl=queue.url, Tags={f"k{i}": "v" for i in range(50)})
    with refused("InvalidParameterValue", "50"):
        sqs.tag_queue(QueueUrl=queue.url, Tags={"one more": "v"})


def test_tags_of_a_missing_queue_are_not_found(sqs, queue):
    with refused(NO_QUEUE, "The specified queue does not exist"):
        sqs.list_queue_tags(QueueUrl=queue.url + "-not")
