// SPDX-License-Identifier: Apache-2.0
#include "doors/agents/agent_sessions.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "api/identify.h"
#include "base/log.h"
#include "base/random.h"
#include "http/websocket.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/tasks/task_row.h"
#include "shapes/agent/extensions.h"
#include "wire/frame.h"

namespace doors::agents {
namespace asio = boost::asio;
namespace ecs = services::ecs;
using namespace shapes::agent;
using services::Access;
using services::Call;

namespace {

using Steady = std::chrono::steady_clock;  // of a session's own waits: the time of day may jump

// The agent gives up after one to two minutes of silence, and we after two beats without an answer.
constexpr base::Duration kHeartbeatEvery = std::chrono::seconds(15);
constexpr base::Duration kSilence = std::chrono::seconds(45);
constexpr base::Duration kRenewEvery = std::chrono::minutes(10);
// An agent that takes longer to acknowledge its manifest is started anew.
constexpr base::Duration kGreeting = std::chrono::seconds(30);
// A payload that was not acknowledged by then is sent again: to an agent that has it, it is nothing new.
constexpr base::Duration kAnswerWithin = std::chrono::seconds(20);
constexpr base::Duration kBetweenTries = std::chrono::seconds(1);
constexpr int kMaxTries = 60;

// A refused upgrade's body is a frame, as agents expect it.
http::Response refusal(const wire::ApiError& error) {
  ErrorMessage message{error.message()};
  return {400, {{"Content-Type", "application/json"}}, wire::write_frame(error.code(), message)};
}

// Amazon's agent has no use for our own members, and this one has keys.
bool is_ours(const ecs::StoredInstance& instance) {
  const auto& attributes = instance.body.attributes;
  return attributes && std::any_of(attributes->begin(), attributes->end(),
                                   [](const auto& attribute) { return attribute.name == "stoker.agent"; });
}

// The keys are for the agent, which reads environment files with them.
Objects to_payload(const ExternalObjects& objects, const Task& task) {
  Objects out{objects.endpoint, objects.region, std::nullopt, std::nullopt};
  const bool reads = std::any_of(task.containers.begin(), task.containers.end(),
                                 [](const Container& container) { return !container.environmentFiles.empty(); });
  if (reads) out.accessKeyId = objects.access_key_id;
  if (reads) out.secretAccessKey = objects.secret_access_key;
  return out;
}

}  // namespace

// One socket. Its reader and its writer are coroutines of one thread.
struct AgentSessions::Session {
  ecs::Admitted home;
  services::Caller caller;
  std::string id = base::random_uuid();
  std::shared_ptr<http::WebSocket> socket;  // shared: with whoever sends

  std::string manifest_id;
  bool agreed = false;  // the manifest was acknowledged
  bool over = false;
  bool pushing = false;
  // A payload: when it was sent, and its tasks.
  struct Sent {
    Steady::time_point at;
    std::vector<std::string> tasks;
  };
  std::set<std::string> told;              // what was sent, of the tasks that are there
  std::map<std::string, Sent> unanswered;  // by message
  std::int64_t sequence = 1;

  std::string topic() const { return ecs::instance_topic(home.instance.id); }
};

asio::awaitable<http::Response> AgentSessions::serve(http::Exchange& exchange, services::Caller caller) {
  const std::string query(exchange.head().query());
  const bool telemetry_session = !api::form_field(query, "containerInstanceArn").has_value();
  const std::string cluster =
      api::form_field(query, telemetry_session ? "cluster" : "clusterArn").value_or("");
  const std::string instance =
      api::form_field(query, telemetry_session ? "containerInstance" : "containerInstanceArn").value_or("");
  auto session = std::make_shared<Session>();
  session->caller = caller;
  std::optional<wire::ApiError> failure;
  try {
    session->home = co_await find_home(std::move(caller), cluster, instance);
  } catch (const wire::ApiError& error) {
    failure = error;
  }
  if (failure) co_return refusal(*failure);
  session->socket = co_await exchange.accept_websocket();
  if (telemetry_session) {
    co_await telemetry(session);
  } else {
    co_await work(exchange, session);
  }
  co_return http::Response{};
}

asio::awaitable<ecs::Admitted> AgentSessions::find_home(services::Caller caller, std::string cluster,
                                                        std::string instance) {
  ecs::Admitted home;
  api::Engine::Work look = [&](Call& call) { home = ecs::admit(call, cluster, instance); };
  co_await engine_.run(Access::Read, std::move(caller), std::move(look));
  co_return home;
}

bool AgentSessions::send(const std::string& instance, std::string frame) {
  auto socket = sessions_.with([&](auto& sessions) -> std::shared_ptr<http::WebSocket> {
    auto found = sessions.find(instance);
    return found == sessions.end() ? nullptr : found->second->socket;
  });
  return socket && socket->send(std::move(frame));
}

asio::awaitable<void> AgentSessions::work(http::Exchange& exchange, std::shared_ptr<Session> session) {
  const std::string& instance = session->home.instance.id;
  // A machine has one session: the newer one is where its agent is now.
  auto former = sessions_.with([&](auto& sessions) { return std::exchange(sessions[instance], session); });
  if (former) {
    former->socket->close();
    logs_.end_all_of(instance);
  }
  base::log_info("agent came", {{"machine", session->home.instance.machine},
                                {"instance", instance},
                                {"from", exchange.peer()}});
  try {
    co_await greet(session);
    co_await read_all(session);
  } catch (const std::exception& error) {
    base::log_warn("session failed", {{"instance", instance}, {"error", error.what()}});
  }
  session->over = true;
  session->socket->close();
  while (session->pushing) {
    const std::uint64_t seen = engine_.topics().seen();
    engine_.topics().wake(session->topic());
    co_await engine_.topics().wait("session/" + session->id, seen, std::chrono::seconds(1));
  }
  co_await leave(session);
}

// What the agent knows is compared with what we know before it gets anything new.
asio::awaitable<void> AgentSessions::greet(std::shared_ptr<Session> session) {
  TaskManifestMessage manifest;
  api::Engine::Work look = [&](Call& call) { manifest = ecs::manifest_of(call, session->home); };
  co_await engine_.run(Access::Read, session->caller, std::move(look));
  session->manifest_id = manifest.messageId;
  session->socket->send(wire::write_frame("TaskManifestMessage", manifest));
}

asio::awaitable<void> AgentSessions::read_all(std::shared_ptr<Session> session) {
  const Steady::time_point began = Steady::now();
  while (!session->over) {
    base::Duration patience = kSilence;
    if (!session->agreed) {
      // Whatever else it says meanwhile.
      patience = std::chrono::duration_cast<base::Duration>(began + kGreeting - Steady::now());
      if (patience <= base::Duration::zero()) {
        base::log_info("agent did not acknowledge", {{"machine", session->home.instance.machine}});
        co_return;
      }
    }
    auto text = co_await session->socket->read(patience);
    if (!text) {
      base::log_info("agent went", {{"machine", session->home.instance.machine}, {"reason", text.error()}});
      co_return;
    }
    co_await take(session, std::move(*text));
  }
}

asio::awaitable<void> AgentSessions::take(std::shared_ptr<Session> session, std::string text) {
  auto frame = wire::read_frame(text);
  if (!frame) {
    session->socket->send(wire::write_frame("BadRequestException", ErrorMessage{frame.error()}));
    co_return;
  }
  std::optional<ErrorMessage> refused;
  try {
    co_await take(session, std::move(*frame));
  } catch (const wire::ApiError& error) {
    refused = ErrorMessage{error.message()};
  }
  if (refused) session->socket->send(wire::write_frame("BadRequestException", *refused));
}

asio::awaitable<void> AgentSessions::take(std::shared_ptr<Session> session, wire::Frame frame) {
  const std::string& instance = session->home.instance.id;
  if (frame.type == "AckRequest") {
    const AckRequest ack = wire::read_message<AckRequest>(frame);
    co_await acknowledge(session, ack.messageId);
  } else if (frame.type == "TaskStopVerificationMessage") {
    const auto message = wire::read_message<TaskStopVerificationMessage>(frame);
    TaskStopVerificationAck answer;
    answer.messageId = message.messageId;
    answer.generatedAt = base::to_millis(engine_.clock().now());
    api::Engine::Work look = [&](Call& call) {
      answer.stopTasks = ecs::to_stop(call, session->home, message.stopCandidates);
    };
    co_await engine_.run(Access::Read, session->caller, std::move(look));
    session->socket->send(wire::write_frame("TaskStopVerificationAck", answer));
  } else if (frame.type == "StokerGpus") {
    const StokerGpus gpus = wire::read_message<StokerGpus>(frame);
    api::Engine::Work note = [&](Call& call) { ecs::note_gpus(call, instance, gpus); };
    co_await engine_.run(Access::Write, session->caller, std::move(note));
  } else if (frame.type == "StokerGpuSamples") {
    auto samples = wire::read_message<StokerGpuSamples>(frame);
    if (samples.samples.size() > ecs::kMaxGpus) samples.samples.resize(ecs::kMaxGpus);
    engine_.locals().get<ecs::LiveGpus>().put(instance, std::move(samples));
  } else if (frame.type == "StokerLogLines") {
    auto lines = wire::read_message<StokerLogLines>(frame);
    const StokerStopLogs stop{lines.requestId};
    if (!logs_.put(instance, std::move(lines))) session->socket->send(wire::write_frame("StokerStopLogs", stop));
  } else if (frame.type == "IAMRoleCredentialsAckRequest") {
    const auto ack = wire::read_message<IAMRoleCredentialsAckRequest>(frame);
    api::Engine::Work note = [&](Call& call) { ecs::note_credentials(call, session->home, ack); };
    co_await engine_.run(Access::Write, session->caller, std::move(note));
  }
  // A heartbeat's acknowledgement is as good as any sign of life.
}

asio::awaitable<void> AgentSessions::acknowledge(std::shared_ptr<Session> session, std::string message_id) {
  if (message_id == session->manifest_id && !session->agreed) {
    session->agreed = true;
    api::Engine::Work note = [&](Call& call) { ecs::set_connected(call, session->home.instance.id, true); };
    co_await engine_.run(Access::Write, session->caller, std::move(note));
    session->pushing = true;
    auto executor = co_await asio::this_coro::executor;
    asio::co_spawn(executor, push_all(session), [this, session](std::exception_ptr) {
      session->pushing = false;
      engine_.topics().wake("session/" + session->id);
    });
    co_return;
  }
  auto found = session->unanswered.find(message_id);
  if (found == session->unanswered.end()) co_return;
  const std::vector<std::string> tasks = std::move(found->second.tasks);
  session->unanswered.erase(found);
  api::Engine::Work note = [&](Call& call) { ecs::set_delivered(call, session->home, tasks); };
  co_await engine_.run(Access::Write, session->caller, std::move(note));
}

// Sends what there is, and again whenever there is more; a heartbeat where there is nothing.
asio::awaitable<void> AgentSessions::push_all(std::shared_ptr<Session> session) {
  Steady::time_point beat = Steady::now(), renewal = beat;
  while (!session->over) {
    const std::uint64_t seen = engine_.topics().seen();
    try {
      co_await push(session);
      if (Steady::now() >= renewal) {
        renewal = Steady::now() + kRenewEvery;
        co_await renew(session);
      }
    } catch (const std::exception& error) {
      base::log_error("agent could not be told", {{"instance", session->home.instance.id}, {"error", error.what()}});
      session->socket->close();
      co_return;
    }
    const Steady::time_point now = Steady::now();
    if (now >= beat) {
      beat = now + kHeartbeatEvery;
      session->socket->send(wire::write_frame("HeartbeatMessage", HeartbeatMessage{base::random_uuid(), true}));
    }
    if (session->over) co_return;
    co_await engine_.topics().wait(session->topic(), seen, std::chrono::ceil<base::Duration>(beat - now));
  }
}

asio::awaitable<void> AgentSessions::push(std::shared_ptr<Session> session) {
  const auto overdue = [](const auto& entry) { return Steady::now() - entry.second.at > kAnswerWithin; };
  if (std::erase_if(session->unanswered, overdue) > 0) session->told.clear();
  for (bool more = true; more;) {
    ecs::Work work;
    std::optional<wire::ApiError> over;
    // A look that changes nothing is no write: most wakes are for what was sent already.
    api::Engine::Work look = [&](Call& call) { work = ecs::work_for(call, session->home, session->told); };
    try {
      co_await engine_.run(Access::Write, session->caller, std::move(look));
    } catch (const wire::ApiError& error) {
      over = error;
    }
    if (over) {
      session->socket->send(wire::write_frame(over->code(), ErrorMessage{over->message()}));
      session->socket->close();
      co_return;
    }
    session->told = std::move(work.told);
    more = work.more;
    if (!work.tasks.empty()) send_payload(*session, std::move(work.tasks));
  }
}

void AgentSessions::send_payload(Session& session, std::vector<Task> tasks) {
  PayloadMessage payload;
  payload.messageId = base::random_uuid();
  payload.clusterArn = session.home.cluster.arn();
  payload.containerInstanceArn = ecs::instance_arn(session.home.cluster, session.home.instance.id);
  payload.generatedAt = base::to_millis(engine_.clock().now());
  payload.seqNum = session.sequence++;
  payload.tasks = std::move(tasks);
  if (objects_ && is_ours(session.home.instance)) {
    for (Task& task : payload.tasks) task.stokerObjects = to_payload(*objects_, task);
  }
  Session::Sent& sent = session.unanswered[payload.messageId];
  sent.at = Steady::now();
  for (const Task& task : payload.tasks) sent.tasks.push_back(task.arn);
  // One that can't be sent is closed, and its agent comes back.
  session.socket->send(wire::write_frame("PayloadMessage", payload));
}

asio::awaitable<void> AgentSessions::renew(std::shared_ptr<Session> session) {
  std::vector<IAMRoleCredentialsMessage> messages;
  api::Engine::Work look = [&](Call& call) { messages = ecs::renewed_credentials(call, session->home); };
  co_await engine_.run(Access::Write, session->caller, std::move(look));
  for (const IAMRoleCredentialsMessage& message : messages) {
    session->socket->send(wire::write_frame("IAMRoleCredentialsMessage", message));
  }
}

asio::awaitable<void> AgentSessions::leave(std::shared_ptr<Session> session) {
  const std::string instance = session->home.instance.id;
  const bool last = sessions_.with([&](auto& sessions) {
    auto found = sessions.find(instance);
    if (found == sessions.end() || found->second != session) return false;
    sessions.erase(found);
    return true;
  });
  if (!last) co_return;
  logs_.end_all_of(instance);
  engine_.locals().get<ecs::LiveGpus>().forget(instance);
  for (int tries = 0; tries < kMaxTries && !found_again(instance); ++tries) {
    const bool noted = co_await note_gone(session);
    if (noted) co_return;
    co_await engine_.topics().wait("session/" + session->id, engine_.topics().seen(), kBetweenTries);
  }
}

// A machine that is taken for connected and is not would be given tasks, and never be given up.
asio::awaitable<bool> AgentSessions::note_gone(std::shared_ptr<Session> session) {
  const std::string instance = session->home.instance.id;
  api::Engine::Work note = [&](Call& call) { ecs::set_connected(call, instance, false); };
  try {
    co_await engine_.run(Access::Write, session->caller, std::move(note));
    co_return true;
  } catch (const store::Error& error) {
    base::log_error("departure was not noted", {{"instance", instance}, {"error", error.what()}});
  }
  co_return false;
}

bool AgentSessions::found_again(const std::string& instance) {
  return sessions_.with([&](auto& sessions) { return sessions.contains(instance); });
}

// Health and metrics. Each message is acknowledged, and heartbeats keep the agent from leaving.
asio::awaitable<void> AgentSessions::telemetry(std::shared_ptr<Session> session) {
  Steady::time_point beat = Steady::now();
  for (;;) {
    if (Steady::now() >= beat) {
      beat = Steady::now() + kHeartbeatEvery;
      session->socket->send(wire::write_frame("HeartbeatMessage", HeartbeatMessage{base::random_uuid(), true}));
    }
    auto text = co_await session->socket->read(kSilence);
    if (!text) co_return;
    std::optional<ErrorMessage> refused;
    try {
      co_await take_telemetry(session, std::move(*text));
    } catch (const wire::ApiError& error) {
      refused = ErrorMessage{error.message()};
    }
    if (refused) session->socket->send(wire::write_frame("BadRequestException", *refused));
  }
}

asio::awaitable<void> AgentSessions::take_telemetry(std::shared_ptr<Session> session, std::string text) {
  auto frame = wire::read_frame(text);
  if (!frame) throw wire::ApiError("BadRequestException", frame.error());
  if (frame->type == "PublishHealthRequest") {
    const auto request = wire::read_message<PublishHealthRequest>(*frame);
    api::Engine::Work note = [&](Call& call) { ecs::note_health(call, session->home, request); };
    co_await engine_.run(Access::Write, session->caller, std::move(note));
    session->socket->send(wire::write_frame("AckPublishHealth", AckPublishHealth{}));
  } else if (frame->type == "PublishMetricsRequest") {
    session->socket->send(wire::write_frame("AckPublishMetric", AckPublishMetric{}));
  } else if (frame->type == "PublishInstanceStatusRequest") {
    session->socket->send(wire::write_frame("AckPublishInstanceStatus", AckPublishMetric{}));
  }
}

}  // namespace doors::agents
