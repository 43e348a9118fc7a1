// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/task_logs.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>

#include "api/identify.h"
#include "base/random.h"
#include "services/ecs/arn.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/instance.h"
#include "state/task.h"
#include "shapes/agent/extensions.h"
#include "wire/frame.h"

namespace doors::agents {
namespace asio = boost::asio;
namespace ecs = services::ecs;
using shapes::agent::StokerLogLine;
using shapes::agent::StokerLogLines;
using shapes::agent::StokerReadLogs;
using shapes::agent::StokerStopLogs;

namespace {

constexpr base::Duration kLookAgain = std::chrono::seconds(5);
// An agent without lines reports that; after this long without any message it does not answer.
constexpr base::Duration kFirstAnswer = std::chrono::seconds(20);

wire::ApiError not_found(const std::string& what) { return wire::ApiError("ResourceNotFoundException", what); }

std::string field(const std::string& query, std::string_view name) {
  return api::form_field(query, name).value_or("");
}

std::optional<std::int32_t> tail_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::int32_t lines = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, lines);
  if (error == std::errc() && stop == end && lines >= 0) return lines;
  throw wire::ApiError("InvalidParameterException", "tail should be a number of lines.");
}

// A response that has begun can't become an error: it is cut short, so that its reader can distinguish
// it from a complete one.
boost::system::system_error broken_off() {
  return boost::system::system_error(asio::error::make_error_code(asio::error::connection_aborted));
}

wire::ApiError shutting_down() { return wire::ApiError("ServiceUnavailable", "The server is shutting down.", 503); }

StokerReadLogs request_of(const std::string& query) {
  StokerReadLogs request;
  request.requestId = base::random_uuid();
  if (const std::string container = field(query, "container"); !container.empty()) request.containerName = container;
  request.follow = field(query, "follow") == "true";
  request.tail = tail_of(field(query, "tail"));
  return request;
}

std::string to_text(const StokerLogLines& batch) {
  std::string text;
  for (const StokerLogLine& line : batch.lines) {
    wire::write_json(wire::type_of<StokerLogLine>(), &line, text);
    text += '\n';
  }
  return text;
}

// Amazon's agent has no messages for log lines, and would leave the reader waiting.
void require_our_agent(services::Call& call, const model::InstanceId& machine) {
  const auto instance = ecs::load_instance(call.tx, machine);
  if (!instance || instance->has_our_agent()) return;
  throw wire::ApiError("InvalidParameterException",
                       "The machine " + instance->name + " runs Amazon's ECS agent, which provides no log stream. Use the "
                       "log driver awslogs and read the log group, or read the engine's logs on the machine.");
}

}  // namespace

asio::awaitable<TaskLogs::Place> TaskLogs::look(services::Caller caller, std::string cluster, std::string task) {
  Place place;
  api::Engine::Work work = [&](services::Call& call) {
    const state::Cluster home = ecs::find_cluster(call, cluster);
    const auto found = ecs::load_task(call.tx, home, task);
    if (!found) throw not_found("The task " + task + " does not exist in the cluster " + home.name + ".");
    place = {found->machine, ecs::task_arn(home, found->id), found->delivered};
    require_our_agent(call, found->machine);
    if (!found->delivered && found->stopped_at) {
      throw not_found("The task stopped before it reached its machine: " + found->stopped_reason.value_or(""));
    }
  };
  co_await engine_.run(services::Access::Read, std::move(caller), std::move(work));
  co_return place;
}

asio::awaitable<TaskLogs::Place> TaskLogs::find(http::Exchange& exchange, services::Caller caller, std::string query) {
  const std::string cluster = field(query, "cluster"), task = field(query, "task");
  for (;;) {
    const std::uint64_t seen = engine_.topics().seen();
    Place place = co_await look(caller, cluster, task);
    if (place.there || exchange.peer_gone()) co_return place;
    if (engine_.draining()) throw shutting_down();
    co_await engine_.topics().wait(state::task_topic(model::TaskId(place.arn.substr(place.arn.rfind('/') + 1))), seen, kLookAgain);
  }
}

asio::awaitable<http::Response> TaskLogs::serve(http::Exchange& exchange, services::Caller caller) {
  const std::string query(exchange.head().query());
  StokerReadLogs request = request_of(query);
  const Place place = co_await find(exchange, std::move(caller), query);
  request.taskArn = place.arn;
  streams_.open(request.requestId, place.instance);
  if (!agents_.send(place.instance, wire::write_frame("StokerReadLogs", request))) {
    streams_.close(request.requestId);
    throw wire::ApiError("TargetNotConnectedException",
                         "The logs are on the machine of container instance " + place.instance.str() +
                             ", whose agent is not connected.");
  }
  std::exception_ptr failure;
  try {
    co_await copy(exchange, request.requestId);
  } catch (...) {
    failure = std::current_exception();
  }
  streams_.close(request.requestId);
  agents_.send(place.instance, wire::write_frame("StokerStopLogs", StokerStopLogs{request.requestId}));
  if (failure) std::rethrow_exception(failure);
  co_return http::Response{};
}

asio::awaitable<void> TaskLogs::copy(http::Exchange& exchange, std::string id) {
  bool started = false;
  const base::Time began = engine_.clock().now();
  for (;;) {
    const std::uint64_t seen = engine_.topics().seen();
    for (const StokerLogLines& batch : streams_.take(id)) {
      if (batch.error && started) throw broken_off();
      if (batch.error) throw not_found(*batch.error);
      std::string text = to_text(batch);
      if (!started) {
        started = true;
        http::Response head{200, {{"Content-Type", "application/x-ndjson"}}, std::move(text)};
        co_await exchange.start(std::move(head));
      } else if (!text.empty()) {
        co_await exchange.write_piece(std::move(text));
      }
      if (batch.end) co_return;
    }
    if (exchange.peer_gone()) co_return;
    if (engine_.draining() && started) throw broken_off();
    if (engine_.draining()) throw shutting_down();
    if (!started && engine_.clock().now() - began > kFirstAnswer) {
      throw wire::ApiError("TargetNotConnectedException", "The machine's agent did not answer.");
    }
    co_await engine_.topics().wait(LogStreams::topic(id), seen, kLookAgain);
  }
}

}  // namespace doors::agents
