// SPDX-License-Identifier: Apache-2.0
#include "services/events/delivery.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>

#include "base/log.h"
#include "base/random.h"
#include "services/arn.h"
#include "services/events/pattern_cache.h"
#include "services/events/rule.h"
#include "services/events/target.h"
#include "services/invoke.h"
#include "shapes/logs/log_event.h"
#include "shapes/logs/log_stream.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/webhook.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/timestamp.h"

namespace services::events {
namespace {

using shapes::events::Target;
using shapes::sqs::MessageAttributeValue;
using shapes::sqs::SendMessageRequest;
using shapes::sqs::SendMessageResult;

std::string quoted(std::string_view text) {
  std::string out;
  wire::write_json_string(text, out);
  return out;
}

std::string to_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + quoted(text);
  return "[" + out + "]";
}

// As Amazon names them in its dead letters.
std::string dead_letter_code(const wire::ApiError& error) {
  if (error.code().find("NonExistentQueue") != std::string::npos || error.code() == "QueueDoesNotExist" ||
      error.code() == "ResourceNotFoundException") {
    return "RESOURCE_NOT_FOUND";
  }
  return error.code().find("AccessDenied") != std::string::npos ? "NO_PERMISSIONS" : error.code();
}

MessageAttributeValue attribute(std::string text) {
  MessageAttributeValue value;
  value.StringValue = std::move(text);
  value.DataType = "String";
  return value;
}

void send(Call& call, const StoredRule& rule, const SendMessageRequest& message) {
  const Caller sender = as_service(call, "events.amazonaws.com", rule.arn(), rule.bus.account);
  invoke<SendMessageResult>(call, sender, "sqs", "SendMessage", message);
}

// The delivery is a row of this transaction, and is sent after it.
void send_webhook(Call& call, const StoredRule& rule, const std::string& arn, const std::string& body) {
  shapes::stoker::SendWebhook request;
  request.arn = arn;
  request.body = body;
  invoke(call, as_service(call, "events.amazonaws.com", rule.arn(), rule.bus.account), "stoker", "SendWebhook", request);
}

void warn(const Call& call, const StoredRule& rule, const std::string& target, const wire::ApiError& error) {
  base::log_warn("event not delivered", {{"request", call.caller.request_id},
                                         {"rule", rule.name},
                                         {"target", target},
                                         {"why", error.message()}});
}

void send_dead_letter(Call& call, const StoredRule& rule, const Target& target, const Event& event,
                      const wire::ApiError& error) {
  SendMessageRequest letter;
  letter.QueueUrl = *target.DeadLetterConfig->Arn;
  letter.MessageBody = event.text;
  letter.MessageAttributes.emplace();
  (*letter.MessageAttributes)["RULE_ARN"] = attribute(rule.arn());
  (*letter.MessageAttributes)["TARGET_ARN"] = attribute(target.Arn);
  (*letter.MessageAttributes)["ERROR_CODE"] = attribute(dead_letter_code(error));
  (*letter.MessageAttributes)["ERROR_MESSAGE"] = attribute(error.message());
  try {
    send(call, rule, letter);
  } catch (const wire::ApiError& again) {
    warn(call, rule, letter.QueueUrl, again);
  }
}

void send_to_bus(Call& call, const StoredRule& rule, const std::string& arn, const std::string& text, int hops) {
  const auto name = read_bus_name(call.caller, arn);
  const auto bus = name ? load_bus(call, *name) : std::nullopt;
  if (!bus) throw wire::ApiError("RESOURCE_NOT_FOUND", "Event bus " + arn + " does not exist.");
  if (!admits(call, *bus, rule.bus.account)) {
    throw wire::ApiError("NO_PERMISSIONS", "The policy of " + arn + " does not allow events:PutEvents.");
  }
  if (hops >= kMaxHops) throw wire::ApiError("INVALID_PARAMETER", "The event has already come from another bus.");
  boost::system::error_code error;
  Event event{.text = text, .value = boost::json::parse(text, error)};
  if (error || !event.value.is_object()) throw wire::ApiError("INVALID_JSON", "The input is not an event.");
  deliver(call, *name, event, hops + 1);
}

// As the service, which a resource policy of the account has to admit. A rule writes to a stream of its own each day.
void send_to_log_group(Call& call, const StoredRule& rule, const std::string& arn, std::string text) {
  const auto parts = parse_arn(arn);
  const bool own = parts->account == rule.bus.account && parts->region == rule.bus.region;
  if (!own) throw wire::ApiError("RESOURCE_NOT_FOUND", "The log group is one of another account or region.");
  const Caller sender = as_service(call, "events.amazonaws.com", rule.arn(), rule.bus.account);
  shapes::logs::PutLogEventsRequest request;
  request.logGroupName = log_group_of(arn);
  request.logStreamName = rule.name + "/" + wire::to_iso8601(call.now).substr(0, 10);
  request.logEvents.push_back({base::to_millis(call.now), std::move(text)});
  try {
    invoke(call, sender, "logs", "CreateLogStream",
           shapes::logs::CreateLogStreamRequest{request.logGroupName, request.logStreamName});
  } catch (const wire::ApiError& error) {
    if (error.code() != "ResourceAlreadyExistsException") throw;
  }
  invoke<shapes::logs::PutLogEventsResponse>(call, sender, "logs", "PutLogEvents", request);
}

void send_text(Call& call, const StoredRule& rule, const Target& target, std::string text, int hops) {
  switch (kind_of(target.Arn)) {
    case TargetKind::Webhook: return send_webhook(call, rule, target.Arn, text);
    case TargetKind::Bus: return send_to_bus(call, rule, target.Arn, text, hops);
    case TargetKind::LogGroup: return send_to_log_group(call, rule, target.Arn, std::move(text));
    case TargetKind::Queue: break;
    default:
      throw wire::ApiError("RESOURCE_NOT_FOUND", target.Arn + " does not exist: Stoker does not have this service.");
  }
  SendMessageRequest message;
  message.QueueUrl = target.Arn;
  message.MessageBody = std::move(text);
  if (target.SqsParameters) message.MessageGroupId = target.SqsParameters->MessageGroupId;
  send(call, rule, message);
}

void send_to_target(Call& call, const StoredRule& rule, const Target& target, const Event& event, int hops) {
  const MatchedRule matched{rule.arn(), rule.name, wire::to_iso8601(call.now)};
  try {
    send_text(call, rule, target, make_input(target, event, matched), hops);
  } catch (const wire::ApiError& error) {
    if (target.DeadLetterConfig && target.DeadLetterConfig->Arn) {
      send_dead_letter(call, rule, target, event, error);
    } else {
      warn(call, rule, target.Arn, error);
    }
  }
}

}  // namespace

void deliver(Call& call, const BusName& bus, const Event& event, int hops) {
  for (const StoredRule& rule : list_enabled_rules(call, bus)) {
    const auto pattern = call.local<PatternCache>().get(*rule.pattern);
    if (!pattern || !matches(*pattern, event.value)) continue;
    for (const Target& target : list_targets(call, rule.number)) send_to_target(call, rule, target, event, hops);
  }
}

void deliver_scheduled(Call& call, const StoredRule& rule) {
  const Event event = make_event({.id = base::random_uuid(),
                                  .detail_type = "Scheduled Event",
                                  .source = "aws.events",
                                  .account = rule.bus.account,
                                  .region = rule.bus.region,
                                  .time = rule.due_at.value_or(call.now),
                                  .resources = {rule.arn()},
                                  .detail = "{}"});
  for (const Target& target : list_targets(call, rule.number)) send_to_target(call, rule, target, event, 0);
}

Event make_event(const EventParts& parts) {
  Event event;
  event.text = fmt::format(
      R"({{"version":"0","id":"{}","detail-type":{},"source":{},"account":{},"time":"{}","region":{},)"
      R"("resources":{},"detail":{}}})",
      parts.id, quoted(parts.detail_type), quoted(parts.source), quoted(parts.account),
      wire::to_iso8601(std::chrono::floor<std::chrono::seconds>(parts.time)), quoted(parts.region),
      to_list(parts.resources), parts.detail);
  boost::system::error_code error;
  event.value = boost::json::parse(event.text, error);
  return event;
}

}  // namespace services::events
