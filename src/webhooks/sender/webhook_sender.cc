// SPDX-License-Identifier: Apache-2.0
#include "webhooks/sender/webhook_sender.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <functional>

#include "base/check.h"
#include "base/log.h"
#include "http/client.h"
#include "services/directory.h"
#include "services/invoke.h"
#include "shapes/stoker/webhook.h"
#include "webhooks/address.h"
#include "webhooks/signature.h"
#include "webhooks/url.h"
#include "wire/error.h"

namespace webhooks {
namespace asio = boost::asio;
using shapes::stoker::WebhookAttempted;
using shapes::stoker::WebhookFinished;
namespace {

constexpr std::int64_t kLookedAt = 64;  // in a turn
constexpr int kGone = 410;
// When deliveries that were due are looked at again: the result of a send may not be stored, for instance because the
// disk is full, and then nothing else wakes the loop.
constexpr base::Duration kLookAgain = std::chrono::minutes(1);
// Only the status of a receiver's response matters.
constexpr http::ClientLimits kResponseLimits{.head_bytes = 16 * 1024, .body_bytes = 64 * 1024, .idle_connections = 0};

http::Request request_for(const Delivery& delivery, const Url& url, const std::string& key, base::Time now) {
  http::Request request;
  request.head.method = "POST";
  request.head.target = url.target;
  request.head.headers.add("Content-Type", "application/json");
  request.head.headers.add("User-Agent", "stoker");
  request.head.headers.add("webhook-id", delivery.message_id);
  request.head.headers.add("webhook-timestamp", std::to_string(base::to_seconds(now)));
  request.head.headers.add("webhook-signature", sign(key, delivery.message_id, now, delivery.body));
  request.head.headers.add("Connection", "close");
  request.body = delivery.body;
  return request;
}

bool wants(services::Call& call, const Delivery& delivery, std::string_view operation) {
  return !delivery.report_to.empty() && call.directory->find(delivery.report_to, operation);
}

template <class Report>
void report(services::Call& call, const Delivery& delivery, std::string_view operation, const Report& result) {
  if (!wants(call, delivery, operation)) return;
  const services::Caller principal = services::as_service(call, "webhooks.stoker", "", delivery.account);
  services::invoke(call, principal, delivery.report_to, operation, result);
}

// Checked for the address that is connected to, so that a name can't point elsewhere a moment later.
std::optional<std::string> rejection(bool private_networks, const std::string& address) {
  const auto kind = classify_address(address);
  if (kind && may_send_to(*kind, private_networks)) return std::nullopt;
  return address + " is " + std::string(kind ? reason(*kind) : "not an address");
}

std::string failure_text(int status) {
  std::string text = "The receiver answered with status " + std::to_string(status) + ".";
  if (status >= 300 && status < 400) text += " Redirects are not followed.";
  return text;
}

}  // namespace

WebhookSender::~WebhookSender() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return sends_.ids.empty(); });
}

api::Loop WebhookSender::loop() { return {"webhooks", kTopic, std::bind_front(&WebhookSender::turn, this)}; }

Excluded WebhookSender::begin_turn() {
  std::lock_guard lock(mutex_);
  sends_.ended.clear();
  Excluded full;
  for (const auto& [endpoint, count] : sends_.by_endpoint) {
    if (count >= kMaxSendsToEndpoint) full.endpoints.push_back(endpoint);
  }
  for (const auto& [account, count] : sends_.by_account) {
    if (count >= kMaxSendsOfAccount) full.accounts.push_back(account);
  }
  return full;
}

bool WebhookSender::begin(const Delivery& delivery) {
  std::lock_guard lock(mutex_);
  if (sends_.ids.size() >= kMaxSends || sends_.ids.contains(delivery.id)) return false;
  if (sends_.ended.contains(delivery.id)) return false;
  const auto count = [](const SendCounts& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  };
  if (count(sends_.by_endpoint, delivery.endpoint) >= kMaxSendsToEndpoint) return false;
  if (count(sends_.by_account, delivery.account) >= kMaxSendsOfAccount) return false;
  ++sends_.by_endpoint[delivery.endpoint];
  ++sends_.by_account[delivery.account];
  sends_.ids.insert(delivery.id);
  return true;
}

void WebhookSender::end(const Delivery& delivery, bool wake) {
  // All under the lock, because the destructor may run as soon as it is released.
  std::lock_guard lock(mutex_);
  sends_.ids.erase(delivery.id);
  sends_.ended.insert(delivery.id);
  const auto release = [](SendCounts& counts, const std::string& name) {
    const auto found = counts.find(name);
    if (--found->second == 0) counts.erase(found);
  };
  release(sends_.by_endpoint, delivery.endpoint);
  release(sends_.by_account, delivery.account);
  if (wake) engine_.topics().wake(kTopic);
  ended_.notify_all();
}

asio::awaitable<std::optional<base::Time>> WebhookSender::turn() {
  const Excluded full = begin_turn();
  std::vector<Delivery> due;
  std::optional<base::Time> next;
  api::Engine::Work look = [&](services::Call& call) {
    due = due_deliveries(call.tx, call.now, full, kLookedAt);
    next = next_due(call.tx, call.now);
    if (!due.empty()) next = std::min(next.value_or(call.now + kLookAgain), call.now + kLookAgain);
  };
  services::Caller nobody;
  co_await engine_.run(services::Access::Read, nobody, std::move(look));
  const bool is_all = std::ssize(due) < kLookedAt;
  bool begun = false;
  for (Delivery& delivery : due) {
    if (!begin(delivery)) continue;
    begun = true;
    asio::co_spawn(io_.next(), send(std::move(delivery)), [](std::exception_ptr error) {
      CHECK(!error) << "a webhook's send let an exception through";
    });
  }
  // Those behind a full endpoint or account are seen when it is excluded.
  if (begun && !is_all) co_return engine_.clock().now();
  // The end of each send wakes the loop, for those that found no place.
  co_return next;
}

asio::awaitable<void> WebhookSender::send(Delivery delivery) {
  std::string failure;
  try {
    Outcome outcome = co_await attempt(delivery);
    co_await record(delivery, std::move(outcome));
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    // Nothing was recorded, so the delivery is still due: the loop's next turn sends it again.
    base::log_error("webhook result not stored", {{"webhook_id", delivery.message_id}, {"error", failure}});
  }
  end(delivery, failure.empty());
}

asio::awaitable<WebhookSender::Outcome> WebhookSender::attempt(const Delivery& delivery) {
  Outcome outcome;
  const auto url = parse_url(delivery.url);
  const auto key = decode_secret(delivery.secret);
  if (!url || !key) {
    outcome.final = true;
    outcome.error = "The webhook's URL or secret is invalid.";
    co_return outcome;
  }
  http::Endpoint endpoint = url->tls ? http::Endpoint::tls(url->host, url->port) : http::Endpoint::tcp(url->host, url->port);
  endpoint.reject = std::bind_front(&rejection, private_networks_);
  http::Client client(io_, std::move(endpoint), kResponseLimits);
  http::Request request = request_for(delivery, *url, *key, engine_.wall_clock().now());
  auto response = co_await client.send(std::move(request), kSendDeadline);
  if (!response) {
    outcome.error = response.error();
    co_return outcome;
  }
  outcome.status = response->status;
  outcome.delivered = response->status >= 200 && response->status < 300;
  // The receiver states that it will never want it.
  outcome.final = response->status == kGone;
  if (!outcome.delivered) outcome.error = failure_text(response->status);
  co_return outcome;
}

asio::awaitable<void> WebhookSender::record(Delivery delivery, Outcome outcome) {
  const int attempts = delivery.attempts + 1;
  const auto pause = outcome.final ? std::nullopt : pause_after(attempts);
  const bool finished = outcome.delivered || !pause;
  api::Engine::Work write = [&](services::Call& call) {
    if (!finished) {
      const base::Time next = call.now + *pause;
      if (!postpone(call.tx, delivery.id, attempts, next, outcome.error)) return;
      report(call, delivery, "WebhookAttempted",
             WebhookAttempted{delivery.context, outcome.error, attempts, outcome.status, next});
      return;
    }
    if (!remove_delivery(call.tx, delivery.id)) return;
    report(call, delivery, "WebhookFinished",
           WebhookFinished{delivery.context, outcome.delivered, outcome.error, attempts, outcome.status});
  };
  services::Caller nobody;
  co_await engine_.run(services::Access::Write, nobody, std::move(write));
  if (!finished || outcome.delivered) co_return;
  base::log_warn("webhook given up", {{"webhook_id", delivery.message_id},
                                      {"endpoint", delivery.endpoint},
                                      {"attempts", attempts},
                                      {"error", outcome.error}});
}

}  // namespace webhooks
