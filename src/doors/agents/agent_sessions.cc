// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/agent_sessions.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "api/identify.h"
#include "base/log.h"
#include "doors/agents/session.h"
#include "doors/agents/signed_frame.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/metrics/live_usage.h"
#include "services/ecs/tasks/live_pulls.h"
#include "shapes/agent/extensions.h"

namespace doors::agents {
namespace asio = boost::asio;
namespace ecs = services::ecs;
using namespace shapes::agent;
using services::Access;
using services::Call;

namespace {

constexpr base::Duration kBetweenTries = std::chrono::seconds(1);
constexpr int kMaxTries = 60;
constexpr std::int32_t kFastPaceSeconds = 1;

// The key of the session was deleted, or its machine removed.
bool is_not_admitted(const wire::ApiError& error) {
  return error.code() == "AccessDeniedException" || error.code() == "InactiveInstanceException";
}

// A refused upgrade's body is a frame, as agents expect it.
http::Response rejection(const wire::ApiError& error) {
  ErrorMessage message{error.message()};
  return {400, {{"Content-Type", "application/json"}}, wire::write_frame(error.code(), message)};
}

}  // namespace

asio::awaitable<http::Response> AgentSessions::serve(http::Exchange& exchange, services::Caller caller) {
  const std::string query(exchange.head().query());
  const bool telemetry_session = !api::form_field(query, "containerInstanceArn").has_value();
  const std::string cluster =
      api::form_field(query, telemetry_session ? "cluster" : "clusterArn").value_or("");
  const std::string instance =
      api::form_field(query, telemetry_session ? "containerInstance" : "containerInstanceArn").value_or("");
  auto session = std::make_shared<Session>(caller, times_);
  session->target = exchange.head().target;
  session->has_lost_credentials = api::form_field(query, "sendCredentials") == "true";
  // Amazon's agent states another version of Docker ("20.10.24") when it opens a telemetry session.
  ecs::AgentVersions versions;
  if (!telemetry_session) {
    versions = {api::form_field(query, "agentVersion"), api::form_field(query, "agentHash"),
                api::form_field(query, "dockerVersion")};
  }
  std::optional<wire::ApiError> failure;
  try {
    session->home = co_await find_home(std::move(caller), cluster, instance, versions);
  } catch (const wire::ApiError& error) {
    failure = error;
  }
  if (failure) co_return rejection(*failure);
  session->socket = co_await exchange.accept_websocket();
  if (telemetry_session) {
    co_await telemetry(session);
  } else {
    co_await work(exchange, session);
  }
  co_return http::Response{};
}

asio::awaitable<ecs::Admitted> AgentSessions::find_home(services::Caller caller, std::string cluster,
                                                        std::string instance, ecs::AgentVersions versions) {
  ecs::Admitted home;
  api::Engine::Work look = [&](Call& call) { home = ecs::admit(call, cluster, instance); };
  co_await engine_.run(Access::Read, caller, std::move(look));
  if (!ecs::states(home.instance, versions)) {
    api::Engine::Work write = [&](Call& call) { ecs::store_versions(call, home.instance, versions); };
    co_await engine_.run(Access::Write, std::move(caller), std::move(write));
  }
  co_return home;
}

bool AgentSessions::send(const model::InstanceId& instance, std::string frame) {
  auto socket = sessions_.with([&](auto& sessions) -> std::shared_ptr<http::WebSocket> {
    auto found = sessions.find(instance);
    return found == sessions.end() ? nullptr : found->second->socket;
  });
  return socket && socket->send(std::move(frame));
}

// The new session replaces the machine's former one, which is closed: an agent uses its newest. False if there was none.
bool AgentSessions::replace(base::Guarded<Sessions>& sessions, const SessionPtr& session) {
  const SessionPtr former =
      sessions.with([&](Sessions& all) { return std::exchange(all[session->home.instance.id], session); });
  if (former) former->socket->close();
  return former != nullptr;
}

bool AgentSessions::remove(base::Guarded<Sessions>& sessions, const SessionPtr& session) {
  return sessions.with([&](Sessions& all) {
    auto found = all.find(session->home.instance.id);
    if (found == all.end() || found->second != session) return false;
    all.erase(found);
    return true;
  });
}

asio::awaitable<void> AgentSessions::work(http::Exchange& exchange, SessionPtr session) {
  const model::InstanceId& instance = session->home.instance.id;
  if (replace(sessions_, session)) logs_.end_all_of(instance);
  wake(engine_.locals().get<ecs::LivePulls>().forget(instance));  // its agent reports them again
  base::log_info("agent connected", {{"machine", session->home.instance.name},
                                     {"instance", instance.str()},
                                     {"from", exchange.peer()}});
  try {
    co_await send_manifest(session);
    co_await read_all(session);
  } catch (const std::exception& error) {
    base::log_warn("session failed", {{"instance", instance.str()}, {"error", error.what()}});
  }
  session->over = true;
  session->socket->close();
  while (session->pushing) {
    const std::uint64_t seen = engine_.topics().seen();
    engine_.topics().wake(session->topic());
    co_await engine_.topics().wait(session->own_topic(), seen, std::chrono::seconds(1));
  }
  co_await leave(session);
}

// Both sides compare their tasks before the agent gets new ones. Amazon's agent keeps credentials in memory only, and
// requests them with its first session alone, which may end before it got them: so that is stored.
asio::awaitable<void> AgentSessions::send_manifest(SessionPtr session) {
  TaskManifestMessage manifest;
  api::Engine::Work write = [&](Call& call) {
    if (session->has_lost_credentials) ecs::mark_credentials_lost(call, session->home);
    manifest = ecs::manifest_of(call, session->home);
  };
  co_await engine_.run(Access::Write, session->caller, std::move(write));
  session->state.sent_manifest(manifest.messageId);
  session->send("TaskManifestMessage", manifest);
}

asio::awaitable<void> AgentSessions::read_all(SessionPtr session) {
  while (!session->over) {
    const auto patience = session->state.patience(Steady::now());
    if (!patience) {
      base::log_info("agent did not acknowledge its manifest", {{"machine", session->home.instance.name}});
      co_return;
    }
    auto text = co_await session->socket->read(*patience);
    if (!text) {
      base::log_info("agent disconnected", {{"machine", session->home.instance.name}, {"reason", text.error()}});
      co_return;
    }
    co_await handle_text(session, std::move(*text));
  }
}

asio::awaitable<void> AgentSessions::handle_text(SessionPtr session, std::string text) {
  auto frame = wire::read_frame(text);
  if (!frame) {
    session->send("BadRequestException", ErrorMessage{frame.error()});
    co_return;
  }
  std::optional<ErrorMessage> rejected;
  try {
    co_await handle(session, std::move(*frame));
  } catch (const wire::ApiError& error) {
    rejected = ErrorMessage{error.message()};
  }
  if (rejected) session->send("BadRequestException", *rejected);
}

// Other frames, heartbeat acknowledgements among them, only show that the agent is alive.
asio::awaitable<void> AgentSessions::handle(SessionPtr session, wire::Frame frame) {
  const model::InstanceId& instance = session->home.instance.id;
  if (frame.type == "AckRequest") {
    const AckRequest ack = wire::read_message<AckRequest>(frame);
    co_await acknowledge(session, ack.messageId);
  } else if (frame.type == "TaskStopVerificationMessage") {
    co_await verify_stops(session, std::move(frame));
  } else if (frame.type == "StokerGpus") {
    const StokerGpus gpus = wire::read_message<StokerGpus>(frame);
    api::Engine::Work write = [&](Call& call) { ecs::store_gpus(call, instance, gpus); };
    co_await engine_.run(Access::Write, session->caller, std::move(write));
  } else if (frame.type == "StokerHealth") {
    const StokerHealth health = wire::read_message<StokerHealth>(frame);
    api::Engine::Work write = [&](Call& call) { ecs::store_troubles(call, instance, health); };
    co_await engine_.run(Access::Write, session->caller, std::move(write));
  } else if (frame.type == "StokerGpuSamples") {
    auto samples = wire::read_message<StokerGpuSamples>(frame);
    if (samples.samples.size() > ecs::kMaxGpus) samples.samples.resize(ecs::kMaxGpus);
    engine_.locals().get<ecs::LiveGpus>().put(instance, std::move(samples));
  } else if (frame.type == "StokerPulls") {
    auto pulls = wire::read_message<StokerPulls>(frame);
    wake(engine_.locals().get<ecs::LivePulls>().put(instance, engine_.clock().now(), std::move(pulls)));
  } else if (frame.type == "StokerLogLines") {
    auto lines = wire::read_message<StokerLogLines>(frame);
    const StokerStopLogs stop{lines.requestId};
    if (!logs_.put(instance, std::move(lines))) session->send("StokerStopLogs", stop);
  } else if (frame.type == "IAMRoleCredentialsAckRequest") {
    const auto ack = wire::read_message<IAMRoleCredentialsAckRequest>(frame);
    api::Engine::Work write = [&](Call& call) { ecs::acknowledge_credentials(call, session->home, ack); };
    co_await engine_.run(Access::Write, session->caller, std::move(write));
  }
}

void AgentSessions::wake(const std::vector<model::TaskId>& tasks) {
  for (const model::TaskId& task : tasks) engine_.topics().wake(state::task_topic(task));
}

asio::awaitable<void> AgentSessions::verify_stops(SessionPtr session, wire::Frame frame) {
  const auto message = wire::read_message<TaskStopVerificationMessage>(frame);
  TaskStopVerificationAck answer;
  answer.messageId = message.messageId;
  answer.generatedAt = base::to_millis(engine_.clock().now());
  api::Engine::Work look = [&](Call& call) {
    answer.stopTasks = ecs::to_stop(call, session->home, message.stopCandidates);
  };
  co_await engine_.run(Access::Read, session->caller, std::move(look));
  session->send("TaskStopVerificationAck", answer);
}

asio::awaitable<void> AgentSessions::acknowledge(SessionPtr session, std::string message_id) {
  const SessionState::Acknowledged acknowledged = session->state.acknowledge(message_id);
  if (acknowledged.manifest) {
    api::Engine::Work connect = [&](Call& call) { ecs::set_connected(call, session->home.instance.id, true); };
    co_await engine_.run(Access::Write, session->caller, std::move(connect));
    session->pushing = true;
    auto executor = co_await asio::this_coro::executor;
    asio::co_spawn(executor, push_until_over(session), [this, session](std::exception_ptr) {
      session->pushing = false;
      engine_.topics().wake(session->own_topic());
    });
  }
  if (acknowledged.tasks.empty()) co_return;
  api::Engine::Work deliver = [&](Call& call) { ecs::set_delivered(call, session->home, acknowledged.tasks); };
  co_await engine_.run(Access::Write, session->caller, std::move(deliver));
}

asio::awaitable<void> AgentSessions::leave(SessionPtr session) {
  const model::InstanceId instance = session->home.instance.id;
  if (!remove(sessions_, session)) co_return;
  logs_.end_all_of(instance);
  if (left_) left_(instance);
  engine_.locals().get<ecs::LiveGpus>().forget(instance);
  engine_.locals().get<ecs::LiveUsage>().forget(instance);
  wake(engine_.locals().get<ecs::LivePulls>().forget(instance));
  // A disconnected machine that counts as connected would be given tasks, and never be lost.
  for (int tries = 0; tries < kMaxTries && !has_session(instance); ++tries) {
    const bool written = co_await mark_disconnected(session);
    if (written) co_return;
    co_await engine_.topics().wait(session->own_topic(), engine_.topics().seen(), kBetweenTries);
  }
}

asio::awaitable<bool> AgentSessions::mark_disconnected(SessionPtr session) {
  const model::InstanceId instance = session->home.instance.id;
  api::Engine::Work disconnect = [&](Call& call) { ecs::set_connected(call, instance, false); };
  try {
    co_await engine_.run(Access::Write, session->caller, std::move(disconnect));
    co_return true;
  } catch (const store::Error& error) {
    base::log_error("disconnection was not stored", {{"instance", instance.str()}, {"error", error.what()}});
  }
  co_return false;
}

bool AgentSessions::has_session(const model::InstanceId& instance) {
  return sessions_.with([&](auto& sessions) { return sessions.contains(instance); });
}

asio::awaitable<void> AgentSessions::telemetry(SessionPtr session) {
  const model::InstanceId instance = session->home.instance.id;
  // A machine has one session of this kind, too: its key must not take up the places of others.
  replace(telemetry_sessions_, session);
  try {
    co_await read_telemetry(session);
  } catch (const std::exception& error) {
    base::log_warn("telemetry session failed", {{"instance", session->home.instance.id.str()}, {"error", error.what()}});
  }
  remove(telemetry_sessions_, session);
  // A session for work may have ended before: then only this one can remove what it has reported.
  if (!has_session(instance)) engine_.locals().get<ecs::LiveUsage>().forget(instance);
}

// Health and metrics. Each message is acknowledged, and heartbeats keep the agent connected.
asio::awaitable<void> AgentSessions::read_telemetry(SessionPtr session) {
  for (;;) {
    if (session->state.take_heartbeat(Steady::now())) {
      session->send("HeartbeatMessage", HeartbeatMessage{base::random_uuid(), true});
    }
    auto text = co_await session->socket->read(times_.silence);
    if (!text) co_return;
    std::optional<ErrorMessage> rejected;
    try {
      co_await handle_telemetry(session, std::move(*text));
    } catch (const wire::ApiError& error) {
      rejected = ErrorMessage{error.message()};
    }
    if (rejected) session->send("BadRequestException", *rejected);
  }
}

// Amazon's agent has a pace of its own.
void AgentSessions::set_pace(Session& session) {
  if (!session.with_our_agent()) return;
  const bool fast = engine_.locals().get<ecs::LiveUsage>().fast(session.home.cluster.number);
  const StokerTelemetryPace pace{fast ? kFastPaceSeconds : kUsualPaceSeconds};
  if (std::exchange(session.pace_seconds, pace.seconds) != pace.seconds) session.send("StokerTelemetryPace", pace);
}

// The JSON of a frame. Amazon's agent signs each frame, as if it were the body of the request that opened the session.
asio::awaitable<std::string> AgentSessions::verified_json(SessionPtr session, std::string text) {
  auto frame = split_frame(text);
  if (!frame) co_return text;
  http::RequestHead head{"GET", session->target, std::move(frame->headers)};
  head.headers.set("Content-Length", std::to_string(frame->json.size()));
  const signing::ClaimResult claim = signing::parse_claim(head);
  const api::Signer signer = co_await authenticator_.find_or_throw(claim, "ecs");
  authenticator_.verify(claim.claim, signer, head, frame->json);
  if (signer.key->id != session->caller.access_key) {
    throw wire::ApiError("AccessDeniedException", "The frame is signed with another key than the session.");
  }
  co_return std::string(frame->json);
}

asio::awaitable<void> AgentSessions::handle_telemetry(SessionPtr session, std::string text) {
  text = co_await verified_json(session, std::move(text));
  auto frame = wire::read_frame(text);
  if (!frame) throw wire::ApiError("BadRequestException", frame.error());
  std::optional<wire::ApiError> refused;
  try {
    co_await publish(session, std::move(*frame));
  } catch (const wire::ApiError& error) {
    refused = error;
  }
  if (!refused) co_return;
  if (!is_not_admitted(*refused)) throw *refused;
  session->send(refused->code(), ErrorMessage{refused->message()});
  session->socket->close();
}

asio::awaitable<void> AgentSessions::publish(SessionPtr session, wire::Frame frame) {
  if (frame.type == "PublishHealthRequest") {
    const auto request = wire::read_message<PublishHealthRequest>(frame);
    api::Engine::Work write = [&](Call& call) { ecs::store_health(call, session->home, request); };
    co_await engine_.run(Access::Write, session->caller, std::move(write));
    session->send("AckPublishHealth", AckPublishHealth{});
  } else if (frame.type == "PublishMetricsRequest") {
    auto request = wire::read_message<PublishMetricsRequest>(frame);
    api::Engine::Work look = [&](Call& call) { ecs::keep_own_tasks(call, session->home, request); };
    co_await engine_.run(Access::Read, session->caller, std::move(look));
    engine_.locals().get<ecs::LiveUsage>().put(session->home.instance.id, engine_.clock().now(), request);
    session->send("AckPublishMetric", AckPublishMetric{});
    set_pace(*session);
  } else if (frame.type == "PublishInstanceStatusRequest") {
    const auto request = wire::read_message<PublishInstanceStatusRequest>(frame);
    api::Engine::Work write = [&](Call& call) { ecs::store_status(call, session->home, request); };
    co_await engine_.run(Access::Write, session->caller, std::move(write));
    session->send("AckPublishInstanceStatus", AckPublishMetric{});
  }
}

}  // namespace doors::agents
