// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/draft.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/utf8.h"
#include "services/sqs/errors.h"

namespace services::sqs {
namespace {

constexpr std::int32_t kMaxDelay = 900;
constexpr std::size_t kMaxAttributes = 10;
constexpr std::size_t kMaxAttributeName = 256;
constexpr std::size_t kMaxIdLength = 128;
constexpr std::string_view kTraceHeader = "AWSTraceHeader";
const std::string kValidCharacters =
    "Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF";

// Amazon allows the characters of XML 1.0.
bool valid_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c < 0x80) {
      ++at;
      continue;
    }
    if (!base::is_xml_character(base::next_character(text, at))) return false;
  }
  return true;
}

void check_text(std::string_view text) {
  if (valid_text(text)) return;
  throw wire::ApiError("InvalidMessageContents", "Invalid characters found. " + kValidCharacters);
}

bool is_number(std::string_view text) {
  if (text.empty() || text.size() > 256) return false;
  char* end = nullptr;
  const std::string copy(text);
  const double value = std::strtod(copy.c_str(), &end);
  const bool plain = copy.find_first_not_of("0123456789+-.eE") == copy.npos;
  const std::size_t mantissa = std::min(copy.find_first_of("eE"), copy.size());
  const auto digits = std::count_if(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(mantissa),
                                    [](unsigned char c) { return std::isdigit(c); });
  // Amazon: 38 digits, between -10^128 and 10^126.
  return plain && end == copy.c_str() + copy.size() && digits <= 38 && std::abs(value) <= 1e128;
}

// ASCII's letters and digits, and the letters of other scripts from Latin-1 on.
bool valid_attribute_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const std::int32_t code = base::next_character(name, at);
    const bool ascii = code >= 0 && code < 0x80 && (std::isalnum(code) || code == '_' || code == '-' || code == '.');
    const bool letter = code >= 0xc0 && code != 0xd7 && code != 0xf7 && base::is_xml_character(code);
    if (!ascii && !letter) return false;
  }
  return true;
}

void check_attribute_name(const std::string& name) {
  auto rejected = [&](const std::string& why) {
    return invalid_parameter("The message attribute name '" + name + "' is invalid. " + why);
  };
  if (name.empty() || name.size() > kMaxAttributeName) {
    throw invalid_parameter("Message (user) attribute names must be between 1 and 256 characters in length.");
  }
  if (!valid_attribute_name(name)) throw rejected("Attribute name can contain A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.) characters.");
  if (name.front() == '.' || name.back() == '.' || name.find("..") != name.npos) {
    throw rejected("Attribute name can't start or end with a period, or have periods in succession.");
  }
  const std::string lower = base::to_lower(name);
  if (lower.starts_with("aws.") || lower.starts_with("amazon.")) {
    throw rejected("Attribute name can't start with AWS. or Amazon.");
  }
}

template <class Value>
void check_attribute_value(const std::string& name, const Value& value) {
  const std::string quoted = "The message attribute '" + name + "' ";
  if (value.StringListValues || value.BinaryListValues) {
    throw wire::ApiError("UnsupportedOperation", "Message attribute list values in SendMessage operation are not supported.");
  }
  if (value.DataType.empty()) throw invalid_parameter(quoted + "must contain non-empty message attribute type.");
  if (value.DataType.size() > kMaxAttributeName) {
    throw invalid_parameter(quoted + "has a message attribute type longer than 256 characters.");
  }
  const std::string kind = value.DataType.substr(0, value.DataType.find('.'));
  if ((kind != "String" && kind != "Number" && kind != "Binary") || !valid_text(value.DataType)) {
    throw invalid_parameter(quoted + "has an invalid message attribute type, the set of supported type prefixes is "
                                     "Binary, Number, and String.");
  }
  if (kind == "Binary" ? !value.BinaryValue || value.BinaryValue->bytes.empty()
                       : !value.StringValue || value.StringValue->empty()) {
    throw invalid_parameter("Message (user) attribute '" + name + "' must contain a non-empty value of type '" +
                            value.DataType + "'.");
  }
  if (value.BinaryValue && value.StringValue) {
    throw invalid_parameter(quoted + "has multiple values.");
  }
  if (value.StringValue && !valid_text(*value.StringValue)) {
    throw invalid_parameter("Invalid characters found in message attribute '" + name + "'. " + kValidCharacters);
  }
  if (kind == "Number" && !is_number(*value.StringValue)) {
    throw invalid_parameter("Can't cast the value of message (user) attribute '" + name + "' to a number.");
  }
}

void check_attributes(const MessageAttributes& attributes) {
  if (attributes.size() > kMaxAttributes) {
    throw invalid_parameter("Number of message attributes [" + std::to_string(attributes.size()) +
                            "] exceeds the allowed maximum [10].");
  }
  for (const auto& [name, value] : attributes) {
    check_attribute_name(name);
    check_attribute_value(name, value);
  }
}

std::optional<std::string> check_system_attributes(const std::optional<SystemAttributes>& attributes) {
  if (!attributes || attributes->empty()) return std::nullopt;
  for (const auto& [name, value] : *attributes) {
    if (name != kTraceHeader) {
      throw invalid_parameter("Message system attribute name '" + name + "' is invalid.");
    }
    if (value.DataType != "String") {
      throw invalid_parameter("Value of message system attribute AWSTraceHeader must be of type String.");
    }
    check_attribute_value(name, value);
  }
  return attributes->at(std::string(kTraceHeader)).StringValue;
}

std::int64_t check_delay(const Queue& queue, const std::optional<std::int32_t>& delay_s) {
  if (!delay_s) return queue.delay_s;
  const std::string text = std::to_string(*delay_s);
  if (*delay_s < 0 || *delay_s > kMaxDelay) {
    throw invalid_value(text, "DelaySeconds", "DelaySeconds must be >= 0 and <= 900.");
  }
  if (queue.fifo && *delay_s != 0) {
    throw invalid_value(text, "DelaySeconds", "The request include parameter that is not valid for this queue type.");
  }
  // On a FIFO queue only the queue's own delay counts.
  return queue.fifo ? queue.delay_s : *delay_s;
}

void fill_ids(const Queue& queue, const Outgoing& outgoing, Draft& draft) {
  if (outgoing.group_id) check_id("MessageGroupId", *outgoing.group_id);
  draft.group_id = outgoing.group_id;
  if (!queue.fifo) {
    if (outgoing.deduplication_id) {
      throw invalid_value(*outgoing.deduplication_id, "MessageDeduplicationId",
                          "The request include parameter that is not valid for this queue type.");
    }
    return;
  }
  check_fifo_ids(queue, outgoing);
  if (outgoing.deduplication_id) {
    check_id("MessageDeduplicationId", *outgoing.deduplication_id);
    draft.deduplication_id = outgoing.deduplication_id;
  } else {
    draft.deduplication_id = base::to_hex(base::sha256(outgoing.body));
  }
}

}  // namespace

void check_id(std::string_view parameter, const std::string& id) {
  const bool plain = !id.empty() && id.size() <= kMaxIdLength &&
                     std::all_of(id.begin(), id.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  if (plain) return;
  throw invalid_value(id, parameter,
                      std::string(parameter) + " can only include alphanumeric and punctuation characters. 1 to 128 in "
                                               "length.");
}

void check_fifo_ids(const Queue& queue, const Outgoing& outgoing) {
  if (!queue.fifo) return;
  if (!outgoing.group_id) throw missing_parameter("MessageGroupId");
  if (!outgoing.deduplication_id && !queue.content_deduplication) {
    throw invalid_parameter("The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId "
                            "provided explicitly");
  }
}

Draft make_draft(const Queue& queue, const Outgoing& outgoing) {
  if (outgoing.body.empty()) throw missing_parameter("MessageBody");
  check_text(outgoing.body);
  Draft draft;
  if (outgoing.attributes && !outgoing.attributes->empty()) {
    check_attributes(*outgoing.attributes);
    draft.attributes = encode_attributes(*outgoing.attributes);
  }
  draft.trace_header = check_system_attributes(outgoing.system_attributes);
  draft.size_bytes = size_bytes(outgoing);
  if (draft.size_bytes > static_cast<std::size_t>(queue.max_message_bytes)) {
    throw invalid_parameter("One or more parameters are invalid. Reason: Message must be shorter than " +
                            std::to_string(queue.max_message_bytes) + " bytes.");
  }
  draft.delay_ms = check_delay(queue, outgoing.delay_s) * 1000;
  fill_ids(queue, outgoing, draft);
  draft.body = outgoing.body;
  return draft;
}

std::size_t size_bytes(const Outgoing& outgoing) {
  std::size_t size = outgoing.body.size();
  if (!outgoing.attributes) return size;
  for (const auto& [name, value] : *outgoing.attributes) {
    size += name.size() + value.DataType.size() + value.StringValue.value_or("").size();
    if (value.BinaryValue) size += value.BinaryValue->bytes.size();
  }
  return size;
}

std::string encode_trace_header(const std::string& value) {
  MessageAttributes attributes;
  attributes[std::string(kTraceHeader)] = {.StringValue = value, .DataType = "String"};
  return encode_attributes(attributes);
}

}  // namespace services::sqs
