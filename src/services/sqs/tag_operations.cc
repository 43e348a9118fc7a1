// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/tags.h"

#include "base/utf8.h"
#include "services/sqs/errors.h"
#include "services/sqs/handlers.h"

namespace services::sqs {
namespace {

constexpr std::string_view kPunctuation = " _.:/=+-@";
constexpr std::size_t kMaxTags = 50;
constexpr std::size_t kMaxKeyLength = 128;
constexpr std::size_t kMaxValueLength = 256;

// Amazon's rule for tags, with the letters of all scripts.
bool plain(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::int32_t code = base::next_character(text, at);
    const bool ascii = code >= 0x20 && code < 0x7f;
    if (!base::is_xml_character(code)) return false;
    if (code < 0x80 && !(ascii && (std::isalnum(code) || kPunctuation.find(static_cast<char>(code)) != kPunctuation.npos))) {
      return false;
    }
  }
  return true;
}

void save_tags(Call& call, const Queue& queue, const StringMap& tags) {
  call.tx.exec("UPDATE sqs_queues SET tags = $2 WHERE id = $1", queue.id, to_json(tags));
}

}  // namespace

StringMap add_tags(StringMap tags, const StringMap& more) {
  for (const auto& [key, value] : more) {
    if (key.empty() || base::count_characters(key) > kMaxKeyLength) {
      throw invalid_parameter("Tag keys must be between 1 and 128 characters in length.");
    }
    if (base::count_characters(value) > kMaxValueLength) {
      throw invalid_parameter("Tag values must be between 0 and 256 characters in length.");
    }
    if (!plain(key) || !plain(value)) {
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

}  // namespace services::sqs
