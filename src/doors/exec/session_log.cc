// SPDX-License-Identifier: Apache-2.0
#include "doors/exec/session_log.h"

#include "base/log.h"
#include "base/utf8.h"
#include "services/invoke.h"
#include "services/s3/objects/put_object.h"
#include "shapes/logs/log_stream.h"

namespace doors::exec {
namespace asio = boost::asio;
namespace s3 = services::s3;
using namespace shapes::logs;
using services::Access;
using services::Call;

namespace {

// CloudWatch's limits of a batch, which counts 26 bytes for each event, and of an event.
constexpr std::size_t kMaxBatchEvents = 10'000, kMaxBatchBytes = 1'000'000, kEventOverhead = 26;
constexpr std::size_t kMaxEventBytes = 200'000;

void log_failure(const std::string& what, const std::string& session, const std::string& why) {
  base::log_warn("the output of a session was not stored", {{"where", what}, {"session", session}, {"error", why}});
}

// Control characters stay: they are part of what a terminal shows.
std::string valid_text(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t start = at;
    const bool valid = base::next_character(bytes, at) >= 0;
    text += valid ? bytes.substr(start, at - start) : std::string_view("\xef\xbf\xbd");
  }
  return text;
}

// One piece: the whole.
asio::awaitable<std::string> next_piece(std::shared_ptr<std::string> rest) { co_return std::exchange(*rest, {}); }

}  // namespace

std::vector<std::vector<InputLogEvent>> to_log_events(std::string_view output, std::int64_t now_ms) {
  std::vector<std::vector<InputLogEvent>> batches;
  std::size_t bytes = 0;
  while (!output.empty()) {
    const std::size_t line = output.find('\n');
    const std::size_t length = std::min({line == output.npos ? output.size() : line, kMaxEventBytes, output.size()});
    std::string text = valid_text(output.substr(0, length));
    output.remove_prefix(length);
    if (output.starts_with('\n')) output.remove_prefix(1);
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty()) continue;  // an event can't be empty
    if (batches.empty() || batches.back().size() >= kMaxBatchEvents ||
        bytes + text.size() + kEventOverhead > kMaxBatchBytes) {
      batches.emplace_back();
      bytes = 0;
    }
    bytes += text.size() + kEventOverhead;
    batches.back().push_back({.timestamp = now_ms, .message = std::move(text)});
  }
  return batches;
}

asio::awaitable<void> SessionLog::store(state::ExecSession session, shapes::stoker::StokerExecSpec spec,
                                        std::string output) {
  services::Caller owner;
  owner.account = session.account;
  owner.region = session.region;
  if (spec.logGroup) {
    try {
      co_await store_events(owner, *spec.logGroup, session.id, output);
    } catch (const std::exception& error) {
      log_failure("log group " + *spec.logGroup, session.id, error.what());
    }
  }
  if (spec.bucket) {
    const std::string prefix = spec.keyPrefix && !spec.keyPrefix->empty() ? *spec.keyPrefix + "/" : "";
    try {
      co_await store_object(owner, *spec.bucket, prefix + session.id + ".log", std::move(output));
    } catch (const std::exception& error) {
      log_failure("bucket " + *spec.bucket, session.id, error.what());
    }
  }
}

asio::awaitable<void> SessionLog::store_events(services::Caller owner, std::string group, std::string stream,
                                               std::string output) {
  const auto batches = to_log_events(output, base::to_millis(engine_.clock().now()));
  const CreateLogStreamRequest creation{group, stream};
  api::Engine::Work create = [&](Call& call) { services::invoke(call, call.caller, "logs", "CreateLogStream", creation); };
  co_await engine_.run(Access::Write, owner, std::move(create));
  for (const auto& batch : batches) {
    PutLogEventsRequest request;
    request.logGroupName = group;
    request.logStreamName = stream;
    request.logEvents = batch;
    api::Engine::Work put = [&](Call& call) {
      services::invoke<PutLogEventsResponse>(call, call.caller, "logs", "PutLogEvents", request);
    };
    co_await engine_.run(Access::Write, owner, std::move(put));
  }
}

asio::awaitable<void> SessionLog::store_object(services::Caller owner, std::string bucket, std::string key,
                                               std::string output) {
  s3::shape::PutObjectRequest request;
  request.Bucket = bucket;
  request.Key = key;
  request.ContentType = "text/plain";
  s3::Spool wanted;
  api::Engine::Work look = [&](Call& call) {
    s3::ObjectCall put{Call{call.tx, owner, call.now, call.started, call.locals, call.directory}};
    s3::prepare_put_object(put, request);
    wanted = std::move(put.spool);
  };
  co_await engine_.run(Access::Read, owner, std::move(look));
  spool::BodyFacts facts;
  facts.size = output.size();
  spool::NextPiece next = std::bind_front(&next_piece, std::make_shared<std::string>(std::move(output)));
  spool::HeldUpload upload = co_await spool::spool_pieces(disk_, std::move(next), std::move(wanted), std::move(facts));
  api::Engine::Work write = [&](Call& call) {
    s3::ObjectCall put{Call{call.tx, owner, call.now, call.started, call.locals, call.directory}};
    const s3::PutPlan plan = s3::prepare_put_object(put, request);
    put.upload = &upload.get();
    s3::put_object(put, request, plan);
    for (services::Wake& wake : put.wakes) call.wakes.push_back(std::move(wake));
    for (services::Wake& wake : put.wakes_if_failed) call.wakes_if_failed.push_back(std::move(wake));
  };
  try {
    co_await engine_.run(Access::Write, owner, std::move(write));
  } catch (const store::Error&) {
    upload.leave();
    throw;
  }
  upload.keep();
}

}  // namespace doors::exec
