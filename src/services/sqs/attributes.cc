// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/attributes.h"

#include <algorithm>
#include <charconv>

#include "services/policy.h"
#include "services/sqs/dead_letter.h"
#include "services/sqs/errors.h"

namespace services::sqs {
namespace {

using wire::ApiError;

struct IntegerRule {
  std::string_view name;
  std::int64_t Queue::*member;
  std::int64_t min, max;
};

constexpr IntegerRule kIntegers[] = {
    {"DelaySeconds", &Queue::delay_s, 0, 900},
    {"MaximumMessageSize", &Queue::max_message_bytes, 1024, 1048576},
    {"MessageRetentionPeriod", &Queue::retention_s, 60, 1209600},
    {"ReceiveMessageWaitTimeSeconds", &Queue::receive_wait_s, 0, 20},
    {"VisibilityTimeout", &Queue::visibility_s, 0, 43200},
};

constexpr std::size_t kMaxKeyId = 2048;

// Those that no client can set.
constexpr std::string_view kReadOnly[] = {
    "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed", "ApproximateNumberOfMessagesNotVisible",
    "CreatedTimestamp",            "LastModifiedTimestamp",              "QueueArn",
};

constexpr std::string_view kOthers[] = {
    "ContentBasedDeduplication", "DeduplicationScope", "FifoQueue",     "FifoThroughputLimit",
    "KmsDataKeyReusePeriodSeconds", "KmsMasterKeyId",  "Policy",        "RedriveAllowPolicy",
    "RedrivePolicy",             "SqsManagedSseEnabled",
};

ApiError invalid_attribute(std::string_view name) {
  return ApiError("InvalidAttributeValue", "Invalid value for the parameter " + std::string(name) + ".");
}

ApiError unknown_attribute(std::string_view name) {
  return ApiError("InvalidAttributeName", "Unknown Attribute " + std::string(name) + ".");
}

std::int64_t parse_integer(std::string_view name, std::string_view text, std::int64_t min, std::int64_t max) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min || value > max) {
    throw invalid_attribute(name);
  }
  return value;
}

bool parse_boolean(std::string_view name, std::string_view text) {
  if (base::equals_ignoring_case(text, "true")) return true;
  if (base::equals_ignoring_case(text, "false")) return false;
  throw invalid_attribute(name);
}

void require_one_of(std::string_view name, std::string_view value, std::initializer_list<std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) throw invalid_attribute(name);
}

bool apply_integer(Queue& queue, const std::string& name, const std::string& value) {
  for (const IntegerRule& rule : kIntegers) {
    if (name != rule.name) continue;
    queue.*rule.member = parse_integer(name, value, rule.min, rule.max);
    return true;
  }
  return false;
}

// Attributes of FIFO queues only.
bool apply_fifo(Queue& queue, StringMap& others, const std::string& name, const std::string& value) {
  if (name == "FifoQueue") {
    const bool wanted = parse_boolean(name, value);
    // Amazon rejects this name for a standard queue, even with the value false.
    if (!queue.fifo) throw unknown_attribute(name);
    if (!wanted) {
      throw ApiError("InvalidAttributeValue", "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is "
                                              "not supported.");
    }
    return true;
  }
  if (name != "ContentBasedDeduplication" && name != "DeduplicationScope" && name != "FifoThroughputLimit") return false;
  if (!queue.fifo) throw unknown_attribute(name);
  if (name == "ContentBasedDeduplication") {
    queue.content_deduplication = parse_boolean(name, value);
    return true;
  }
  if (name == "DeduplicationScope") require_one_of(name, value, {"queue", "messageGroup"});
  if (name == "FifoThroughputLimit") require_one_of(name, value, {"perQueue", "perMessageGroupId"});
  others[name] = value;
  return true;
}

bool apply_encryption(StringMap& others, const std::string& name, const std::string& value) {
  if (name == "KmsMasterKeyId") {
    const bool plain = std::all_of(value.begin(), value.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (!plain || value.size() > kMaxKeyId) throw invalid_attribute(name);
    if (value.empty()) {
      others.erase(name);
    } else {
      others[name] = value;
    }
    return true;
  }
  if (name == "KmsDataKeyReusePeriodSeconds") {
    others[name] = std::to_string(parse_integer(name, value, 60, 86400));
    return true;
  }
  if (name == "SqsManagedSseEnabled") {
    others[name] = parse_boolean(name, value) ? "true" : "false";
    return true;
  }
  return false;
}

void apply_policy(Queue& queue, const std::string& value) {
  if (value.empty()) {
    queue.policy.reset();
    return;
  }
  if (!policy::problem(value).empty()) throw invalid_attribute("Policy");
  queue.policy = value;
}

void check_together(const StringMap& others) {
  auto get = [&](const char* name) {
    auto found = others.find(name);
    return found == others.end() ? std::string_view() : std::string_view(found->second);
  };
  if (get("FifoThroughputLimit") == "perMessageGroupId" && get("DeduplicationScope") != "messageGroup") {
    throw ApiError("InvalidAttributeValue",
                   "The FifoThroughputLimit attribute can be set to perMessageGroupId only when DeduplicationScope is "
                   "set to messageGroup.");
  }
  if (get("SqsManagedSseEnabled") == "true" && !get("KmsMasterKeyId").empty()) {
    throw ApiError("InvalidAttributeName", "You can use one type of server-side encryption (SSE) at one time. You can "
                                            "either enable KMS SSE or SQS SSE.");
  }
}

}  // namespace

void apply_attributes(store::Tx& tx, Queue& queue, const StringMap& attributes) {
  StringMap others = from_json(queue.attributes);
  for (const auto& [name, value] : attributes) {
    if (apply_integer(queue, name, value)) continue;
    if (apply_fifo(queue, others, name, value)) continue;
    // The two kinds of encryption exclude each other: the one that is requested replaces the other.
    if (name == "KmsMasterKeyId" && !value.empty() && !attributes.contains("SqsManagedSseEnabled")) {
      others["SqsManagedSseEnabled"] = "false";
    }
    if (apply_encryption(others, name, value)) continue;
    if (name == "Policy") {
      apply_policy(queue, value);
    } else if (name == "RedrivePolicy") {
      apply_redrive_policy(tx, queue, value);
    } else if (name == "RedriveAllowPolicy") {
      std::string checked = check_redrive_allow_policy(value);
      if (checked.empty()) {
        others.erase(name);
      } else {
        others[name] = checked;
      }
    } else {
      throw unknown_attribute(name);
    }
  }
  check_together(others);
  queue.attributes = to_json(others);
}

StringMap shown_attributes(const Queue& queue) {
  StringMap shown = from_json(queue.attributes);
  for (const IntegerRule& rule : kIntegers) shown.emplace(rule.name, std::to_string(queue.*rule.member));
  shown["QueueArn"] = queue.arn();
  shown["CreatedTimestamp"] = std::to_string(base::to_seconds(queue.created_at));
  shown["LastModifiedTimestamp"] = std::to_string(base::to_seconds(queue.modified_at));
  if (queue.policy) shown["Policy"] = *queue.policy;
  if (queue.dead_letter_arn) shown["RedrivePolicy"] = redrive_policy(queue);
  shown.emplace("SqsManagedSseEnabled", "true");
  if (shown.contains("KmsMasterKeyId")) shown.emplace("KmsDataKeyReusePeriodSeconds", "300");
  if (queue.fifo) {
    shown["FifoQueue"] = "true";
    shown["ContentBasedDeduplication"] = queue.content_deduplication ? "true" : "false";
    shown.emplace("DeduplicationScope", "queue");
    shown.emplace("FifoThroughputLimit", "perQueue");
  }
  return shown;
}

std::string other_attribute(const Queue& queue, std::string_view name) {
  StringMap others = from_json(queue.attributes);
  auto found = others.find(std::string(name));
  return found == others.end() ? std::string() : found->second;
}

bool known_attribute(std::string_view name) {
  auto in = [&](const auto& names) { return std::find(std::begin(names), std::end(names), name) != std::end(names); };
  if (name == "All" || in(kReadOnly) || in(kOthers)) return true;
  return std::any_of(std::begin(kIntegers), std::end(kIntegers),
                     [&](const IntegerRule& rule) { return rule.name == name; });
}

}  // namespace services::sqs
