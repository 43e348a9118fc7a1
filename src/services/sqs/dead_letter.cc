// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/dead_letter.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

#include "services/sqs/attributes.h"
#include "services/sqs/errors.h"
#include "shapes/sqs/queue.h"

namespace services::sqs {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMaxReceives = 1000;
constexpr std::size_t kMaxSourceArns = 10;

// Clients send the count as a number and as a string.
std::optional<std::int64_t> read_count(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (!value.is_string()) return std::nullopt;
  const json::string& text = value.get_string();
  std::int64_t count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

std::optional<json::object> parse_object(const std::string& text) {
  json::error_code error;
  json::value parsed = json::parse(text, error);
  if (error || !parsed.is_object()) return std::nullopt;
  return std::move(parsed.get_object());
}

bool allows_source(const Queue& target, const std::string& source_arn) {
  std::string allow = other_attribute(target, "RedriveAllowPolicy");
  if (allow.empty()) return true;
  json::object policy = *parse_object(allow);
  const json::string& permission = policy.at("redrivePermission").as_string();
  if (permission == "denyAll") return false;
  if (permission == "allowAll") return true;
  const json::array& arns = policy.at("sourceQueueArns").as_array();
  return std::any_of(arns.begin(), arns.end(), [&](const json::value& arn) { return arn.as_string() == source_arn; });
}

}  // namespace

void apply_redrive_policy(store::Tx& tx, Queue& queue, const std::string& text) {
  if (text.empty()) {
    queue.dead_letter_arn.reset();
    queue.max_receives = 0;
    return;
  }
  auto rejected = [&](const std::string& reason) { return invalid_value(text, "RedrivePolicy", reason); };
  auto policy = parse_object(text);
  if (!policy) throw rejected("Redrive policy is not a valid JSON map.");
  const json::value* arn = policy->if_contains("deadLetterTargetArn");
  const json::value* count = policy->if_contains("maxReceiveCount");
  for (const auto& [key, value] : *policy) {
    if (key != "deadLetterTargetArn" && key != "maxReceiveCount") {
      throw rejected("Only following attributes are supported: [deadLetterTargetArn, maxReceiveCount].");
    }
  }
  if (!arn || !arn->is_string()) {
    throw rejected("Redrive policy does not contain mandatory attribute: deadLetterTargetArn.");
  }
  if (!count) throw rejected("Redrive policy does not contain mandatory attribute: maxReceiveCount.");
  auto max_receives = read_count(*count);
  if (!max_receives || *max_receives < 1 || *max_receives > kMaxReceives) {
    throw rejected("Invalid value for maxReceiveCount: " + json::serialize(*count) +
                 ", valid values are from 1 to 1000 both inclusive.");
  }
  std::string target_arn(arn->get_string());
  auto name = parse_queue_arn(target_arn);
  if (!name) throw rejected("Invalid value for deadLetterTargetArn.");
  if (name->account != queue.account || name->region != queue.region) {
    throw rejected("Dead-letter queue must be in the same account and region as the source queue.");
  }
  auto target = load_queue(tx, *name);
  if (!target) throw rejected("Dead letter target does not exist.");
  if (target->fifo != queue.fifo) throw rejected("Dead-letter queue must be same type of queue as the source.");
  if (!allows_source(*target, queue.arn())) {
    throw rejected("The dead-letter queue's RedriveAllowPolicy does not allow this source queue.");
  }
  queue.dead_letter_arn = target_arn;
  queue.max_receives = *max_receives;
}

std::string redrive_policy(const Queue& queue) {
  return json::serialize(
      json::object{{"deadLetterTargetArn", *queue.dead_letter_arn}, {"maxReceiveCount", queue.max_receives}});
}

std::string check_redrive_allow_policy(const std::string& text) {
  if (text.empty()) return "";
  auto rejected = [&](const std::string& reason) { return invalid_value(text, "RedriveAllowPolicy", reason); };
  auto policy = parse_object(text);
  if (!policy) throw rejected("Amazon SQS can't create the redrive allow policy, as it's in an unsupported format.");
  const json::value* permission = policy->if_contains("redrivePermission");
  if (!permission || !permission->is_string()) throw rejected("The redrivePermission attribute is mandatory.");
  const std::string kind(permission->get_string());
  if (kind != "allowAll" && kind != "denyAll" && kind != "byQueue") {
    throw rejected("The redrivePermission must be one of allowAll, denyAll and byQueue.");
  }
  const json::value* arns = policy->if_contains("sourceQueueArns");
  if (kind != "byQueue" && arns) throw rejected("sourceQueueArns goes only with the redrivePermission byQueue.");
  if (kind == "byQueue") {
    if (!arns || !arns->is_array() || arns->get_array().empty()) {
      throw rejected("sourceQueueArns must name the source queues when the redrivePermission is byQueue.");
    }
    if (arns->get_array().size() > kMaxSourceArns) throw rejected("sourceQueueArns can hold up to 10 queue ARNs.");
    for (const json::value& arn : arns->get_array()) {
      if (!arn.is_string() || !parse_queue_arn({arn.get_string().data(), arn.get_string().size()})) {
        throw rejected("sourceQueueArns contains an invalid queue ARN.");
      }
    }
  }
  return json::serialize(*policy);
}

}  // namespace services::sqs
