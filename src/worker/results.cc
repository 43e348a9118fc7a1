// SPDX-License-Identifier: Apache-2.0
#include "worker/results.h"

#include <optional>
#include <system_error>

#include "base/bytes.h"
#include "base/log.h"
#include "base/utf8.h"
#include "http/signal.h"
#include "wire/json.h"
#include "wire/timestamp.h"
#include "worker/event.h"

namespace worker {
namespace asio = boost::asio;
using client::ObjectName;
using client::ObjectReply;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMetadataPrefix = "x-amz-meta-";
constexpr int kMaxConflicts = 8;  // of writers of one result
constexpr base::Duration kFirstRetry = std::chrono::milliseconds(100);
constexpr base::Duration kLongestRetry = std::chrono::seconds(5);

// The pauses between attempts, until the patience is over.
class Retries {
 public:
  explicit Retries(base::Duration patience) : end_(Clock::now() + patience) {}

  bool wants(const ObjectReply& reply) const { return reply.retryable() && Clock::now() < end_; }
  base::Duration pause() {
    const base::Duration current = next_;
    next_ = std::min(2 * next_, kLongestRetry);
    return current;
  }

 private:
  Clock::time_point end_;
  base::Duration next_ = kFirstRetry;
};

std::string describe(const ObjectReply& reply, const ObjectName& name) {
  return "s3://" + name.bucket + "/" + name.key + ": " + (reply.code.empty() ? "" : reply.code + ": ") + reply.message;
}

void add_member(std::string& out, std::string_view name, std::string_view value) {
  out += out.size() > 1 ? ",\"" : "\"";
  out += name;
  out += "\":";
  wire::write_json_string(base::is_utf8(value) ? std::string(value) : base::to_printable(value), out);
}

std::string error_document(const Failure& failure, int attempt, const Results::Origin& origin, base::Time now) {
  std::string error = "{";
  add_member(error, "type", failure.type);
  add_member(error, "message", failure.message);
  if (failure.permanent) error += ",\"permanent\":true";
  std::string document = "{\"error\":" + error + "},\"attempt\":" + std::to_string(attempt);
  add_member(document, "task", origin.task);
  add_member(document, "machine", origin.machine);
  add_member(document, "at", wire::to_iso8601(now, true));
  return document + "}";
}

}  // namespace

Results::Results(client::ObjectClient& objects, const Options& options, Origin origin, base::Duration patience)
    : objects_(objects), options_(options), origin_(std::move(origin)), patience_(patience) {}

std::string Results::bucket_for(const Item& item) const {
  return options_.results_bucket.empty() ? item.bucket : options_.results_bucket;
}

asio::awaitable<ObjectReply> Results::put(PutCall call) {
  Retries retries(patience_);
  for (;;) {
    ObjectReply reply = co_await objects_.put(call.name, call.headers, call.body);
    if (!retries.wants(reply)) co_return reply;
    co_await http::sleep_for(retries.pause());
  }
}

asio::awaitable<ObjectReply> Results::head(ObjectName name) {
  Retries retries(patience_);
  for (;;) {
    ObjectReply reply = co_await objects_.head(name);
    if (!retries.wants(reply)) co_return reply;
    co_await http::sleep_for(retries.pause());
  }
}

asio::awaitable<std::optional<Failure>> Results::fetch(Item& item) {
  const ObjectName name{item.bucket, item.key};
  Retries retries(patience_);
  ObjectReply reply;
  for (;;) {
    std::string unwritable;
    try {
      ObjectReply got = co_await objects_.get_to_file(name, item.input);
      reply = std::move(got);
    } catch (const std::system_error& error) {
      unwritable = error.what();
    }
    if (!unwritable.empty()) co_return Failure{"DownloadFailed", unwritable};
    if (!retries.wants(reply)) break;
    co_await http::sleep_for(retries.pause());
  }
  if (reply.status == 404) co_return Failure{"InputMissing", describe(reply, name)};
  if (!reply.ok()) co_return Failure{"DownloadFailed", describe(reply, name)};
  item.content_type = reply.headers.get("Content-Type");
  for (const auto& [header, value] : reply.headers) {
    const std::string lower = base::to_lower(header);
    if (lower.starts_with(kMetadataPrefix)) item.metadata[lower.substr(kMetadataPrefix.size())] = value;
  }
  co_return std::nullopt;
}

asio::awaitable<bool> Results::is_done(const Item& item) {
  ObjectName name{bucket_for(item), options_.results_prefix + item.name + ".json"};
  ObjectReply reply = co_await head(std::move(name));
  if (!reply.ok()) co_return false;
  co_return !is_older(reply.headers.get(kSequencerHeader), item.sequencer);
}

asio::awaitable<base::Result<Stored>> Results::store(const Item& item, std::string json) {
  PutCall call;
  call.name = {bucket_for(item), options_.results_prefix + item.name + ".json"};
  call.body = std::move(json);
  std::string condition = "If-None-Match", value = "*";
  ObjectReply reply;
  for (int conflicts = 0; conflicts < kMaxConflicts; ++conflicts) {
    call.headers = {{"Content-Type", "application/json"}, {kSequencerHeader, item.sequencer}, {condition, value}};
    ObjectReply written = co_await put(call);
    reply = std::move(written);
    if (reply.ok()) co_return Stored::Written;
    // 404: the object of If-Match was deleted. 409: another conditional write is under way.
    if (reply.status != 412 && reply.status != 409 && reply.status != 404) break;
    ObjectReply present = co_await head(call.name);
    if (present.ok()) {
      const std::string_view sequencer = present.headers.get(kSequencerHeader);
      if (is_older(item.sequencer, sequencer)) co_return Stored::Superseded;
      if (!is_older(sequencer, item.sequencer)) co_return Stored::Present;
      condition = "If-Match";
      value = present.headers.get("ETag");
    } else if (present.status == 404 && reply.code != "NoSuchBucket") {
      condition = "If-None-Match";
      value = "*";
    } else {
      break;
    }
  }
  co_return base::Error{describe(reply, call.name)};
}

asio::awaitable<bool> Results::store_error(const Item& item, Failure failure, base::Time now) {
  PutCall call;
  call.name = {bucket_for(item), options_.errors_prefix + item.name + ".json"};
  call.headers = {{"Content-Type", "application/json"}, {kSequencerHeader, item.sequencer}};
  call.body = error_document(failure, item.message->attempt, origin_, now);
  ObjectReply reply = co_await put(call);
  if (!reply.ok()) base::log_warn("error not stored", {{"reason", describe(reply, call.name)}});
  co_return reply.ok();
}

}  // namespace worker
