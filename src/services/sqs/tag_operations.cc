// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/tags.h"

#include "services/sqs/errors.h"
#include "services/sqs/operations.h"
#include "services/tags.h"
#include "shapes/sqs/tag.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

void save_tags(Call& call, const Queue& queue, const StringMap& tags) {
  call.tx.exec("UPDATE sqs_queues SET tags = $2 WHERE id = $1", queue.id, to_json(tags));
}

}  // namespace

StringMap add_tags(StringMap tags, const StringMap& more) {
  for (const auto& [key, value] : more) {
    const TagProblems problems = find_tag_problems(key, value);
    if (problems.empty_key || problems.long_key) {
      throw invalid_parameter("Tag keys must be between 1 and 128 characters in length.");
    }
    if (problems.long_value) {
      throw invalid_parameter("Tag values must be between 0 and 256 characters in length.");
    }
    if (problems.key_characters || problems.value_characters) {
      throw invalid_parameter("Tag keys and values can hold letters, digits, spaces, and _ . : / = + - @ only.");
    }
    if (key.starts_with("aws:")) {
      throw invalid_parameter("aws: prefixed tag key names are not allowed for external use.");
    }
    tags[key] = value;
  }
  if (tags.size() > kMaxTags) throw invalid_parameter("The maximum number of tags for a queue is 50.");
  return tags;
}

namespace {

void tag_queue(Call& call, const TagQueueRequest& request) {
  Queue queue = find_own_queue(call, request.QueueUrl);
  if (request.Tags.empty()) throw missing_parameter("Tags");
  save_tags(call, queue, add_tags(from_json(queue.tags), request.Tags));
}

void untag_queue(Call& call, const UntagQueueRequest& request) {
  Queue queue = find_own_queue(call, request.QueueUrl);
  if (request.TagKeys.empty()) throw invalid_parameter("Tag keys must be between 1 and 128 characters in length.");
  StringMap tags = from_json(queue.tags);
  for (const std::string& key : request.TagKeys) tags.erase(key);
  save_tags(call, queue, tags);
}

ListQueueTagsResult list_queue_tags(Call& call, const ListQueueTagsRequest& request) {
  StringMap tags = from_json(find_own_queue(call, request.QueueUrl).tags);
  if (tags.empty()) return {};
  return {.Tags = std::move(tags)};
}

}  // namespace

std::vector<Operation> tag_operations() {
  return {
      operation<&list_queue_tags>("ListQueueTags", Access::Read),
      operation<&tag_queue>("TagQueue", Access::Write),
      operation<&untag_queue>("UntagQueue", Access::Write),
  };
}

}  // namespace services::sqs
