// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/queue.h"

#include <boost/json.hpp>

#include "services/arn.h"
#include "services/policy.h"
#include "services/sqs/errors.h"

namespace services::sqs {
namespace {

constexpr std::string_view kSelect =
    "SELECT id, account, region, name, lot, created_at, modified_at, fifo, delay_s, max_message_bytes, retention_s,"
    " receive_wait_s, visibility_s, content_deduplication, dead_letter_arn, max_receives, policy, attributes, tags"
    " FROM sqs_queues WHERE account = $1 AND region = $2 AND name = $3";
constexpr std::string_view kSelectById =
    "SELECT id, account, region, name, lot, created_at, modified_at, fifo, delay_s, max_message_bytes, retention_s,"
    " receive_wait_s, visibility_s, content_deduplication, dead_letter_arn, max_receives, policy, attributes, tags"
    " FROM sqs_queues WHERE id = $1";

Queue read_queue(const store::Row& row) {
  Queue queue;
  queue.id = row.integer(0);
  queue.account = row.str(1);
  queue.region = row.str(2);
  queue.name = row.str(3);
  queue.lot = row.integer(4);
  queue.created_at = row.time(5);
  queue.modified_at = row.time(6);
  queue.fifo = row.boolean(7);
  queue.delay_s = row.integer(8);
  queue.max_message_bytes = row.integer(9);
  queue.retention_s = row.integer(10);
  queue.receive_wait_s = row.integer(11);
  queue.visibility_s = row.integer(12);
  queue.content_deduplication = row.boolean(13);
  queue.dead_letter_arn = row.maybe_str(14);
  queue.max_receives = row.maybe_integer(15).value_or(0);
  queue.policy = row.maybe_str(16);
  queue.attributes = row.str(17);
  queue.tags = row.str(18);
  return queue;
}

policy::Verdict evaluate_policy(const Queue& queue, const Call& call, std::string_view action) {
  if (!queue.policy) return policy::Verdict::NoMatch;
  const Caller& caller = call.caller;
  return policy::evaluate(*queue.policy, {.principal_account = caller.service.empty() ? caller.account : "",
                                          .principal_service = caller.service,
                                          .action = "sqs:" + std::string(action),
                                          .resource = queue.arn(),
                                          .context = policy::context_of(caller, call.now)});
}

void check_access(const Queue& queue, const Call& call, std::string_view action) {
  const Caller& caller = call.caller;
  const bool is_service = !caller.service.empty();
  const bool own = !is_service && queue.account == caller.account;
  const policy::Verdict verdict = evaluate_policy(queue, call, action);
  if (verdict == policy::Verdict::Allowed) return;
  // A service needs the queue's policy also within one account, as at Amazon.
  if (is_service) throw service_denied(caller.service, action, queue.arn());
  if (verdict == policy::Verdict::Denied) throw access_denied(caller.arn(), action, queue.arn());
  if (own) return;
  throw wire::ApiError("QueueDoesNotExist", "The specified queue does not exist or you do not have access to it.");
}

}  // namespace

QueueName parse_url(const std::string& url, const Caller& caller) {
  std::string_view rest = url;
  if (std::size_t scheme = rest.find("://"); scheme != rest.npos) {
    std::size_t path = rest.find('/', scheme + 3);
    rest = path == rest.npos ? std::string_view() : rest.substr(path);
  }
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  std::size_t last = rest.rfind('/');
  if (last == rest.npos) return {caller.account, caller.region, std::string(rest)};
  std::string_view name = rest.substr(last + 1), before = rest.substr(0, last);
  std::string_view account = before.substr(before.rfind('/') == before.npos ? 0 : before.rfind('/') + 1);
  if (name.empty() || !is_account_id(account)) {
    throw wire::ApiError("InvalidAddress", "The address " + url + " is not valid for this endpoint.");
  }
  return {std::string(account), caller.region, std::string(name)};
}

std::optional<QueueName> parse_queue_arn(std::string_view text) {
  const auto arn = parse_arn(text, "sqs");
  if (!arn) return std::nullopt;
  return QueueName{std::string(arn->account), std::string(arn->region), std::string(arn->resource)};
}

std::string Queue::arn() const { return Arn{"sqs", region, account, name}.str(); }

std::optional<Queue> load_queue(store::Tx& tx, const QueueName& name) {
  return tx.query(kSelect, name.account, name.region, name.name).one(read_queue);
}

std::optional<Queue> load_queue(store::Tx& tx, std::int64_t id) { return tx.query(kSelectById, id).one(read_queue); }

Queue find_queue(Call& call, const std::string& url, std::string_view action) {
  if (url.empty()) throw missing_parameter("QueueUrl");
  // A service names its target by ARN, which also has the region.
  const auto name = call.caller.service.empty() ? parse_url(url, call.caller) : parse_queue_arn(url);
  auto queue = name ? load_queue(call.tx, *name) : std::nullopt;
  if (!queue) throw queue_does_not_exist();
  check_access(*queue, call, action);
  return std::move(*queue);
}

Queue find_own_queue(Call& call, const std::string& url) {
  if (url.empty()) throw missing_parameter("QueueUrl");
  auto queue = load_queue(call.tx, parse_url(url, call.caller));
  if (!queue || queue->account != call.caller.account) throw queue_does_not_exist();
  return std::move(*queue);
}

std::string to_json(const StringMap& map) {
  boost::json::object object;
  for (const auto& [key, value] : map) object.emplace(key, value);
  return boost::json::serialize(object);
}

StringMap from_json(std::string_view json) {
  StringMap map;
  const boost::json::value parsed = boost::json::parse({json.data(), json.size()});
  for (const auto& [key, value] : parsed.as_object()) map.emplace(key, std::string(value.as_string()));
  return map;
}

}  // namespace services::sqs
