// SPDX-License-Identifier: Apache-2.0
// The sending half of a work session: payloads, credentials, heartbeats.
#include "base/log.h"
#include "doors/agents/session.h"
#include "services/arn.h"
#include "services/ecs/arn.h"
#include "state/keys.h"

namespace doors::agents {
namespace asio = boost::asio;
namespace ecs = services::ecs;
using namespace shapes::agent;
using services::Access;
using services::Call;

namespace {

// A file that the account may not read has no URL, and the agent reports that.
Objects to_objects(const ExternalObjects& objects, const Task& task, const std::string& account, base::Time now) {
  Objects out{objects.endpoint, objects.region, {}};
  for (const Container& container : task.containers) {
    for (const EnvironmentFile& file : container.environmentFiles) {
      const auto arn = services::parse_arn(file.value);
      const std::string resource(arn ? arn->resource : "");
      const std::size_t slash = resource.find('/');
      if (slash == resource.npos) continue;
      const std::string bucket = resource.substr(0, slash), key = resource.substr(slash + 1);
      if (objects.allows(account, bucket, key)) out.fileUrls[file.value] = objects.url_of(bucket, key, now);
    }
  }
  return out;
}

// As our own agent does for its containers.
void set_objects_endpoint(Task& task, const std::string& endpoint) {
  if (task.networkMode == "none") return;
  for (Container& container : task.containers) container.environment.emplace("AWS_ENDPOINT_URL_S3", endpoint);
}

}  // namespace

asio::awaitable<void> AgentSessions::push_until_over(SessionPtr session) {
  while (!session->over) {
    const std::uint64_t seen = engine_.topics().seen();
    try {
      co_await push(session);
      const bool renewal = session->state.take_renewal(Steady::now());
      if (renewal) {
        co_await renew_credentials(session);
      }
    } catch (const std::exception& error) {
      base::log_error("tasks could not be sent",
                      {{"instance", session->home.instance.id.str()}, {"error", error.what()}});
      session->socket->close();
      co_return;
    }
    if (session->state.take_heartbeat(Steady::now())) {
      session->send("HeartbeatMessage", HeartbeatMessage{base::random_uuid(), true});
    }
    if (session->over) co_return;
    co_await engine_.topics().wait(session->topic(), seen, session->state.pause(Steady::now()),
                                   state::key_topic(session->caller.access_key));
  }
}

// Sends all that is unsent. An agent that is not admitted any more is disconnected.
asio::awaitable<void> AgentSessions::push(SessionPtr session) {
  for (bool more = true; more;) {
    ecs::Work work;
    std::optional<wire::ApiError> refused;
    try {
      work = co_await find_work(session);
    } catch (const wire::ApiError& error) {
      refused = error;
    }
    if (refused) {
      session->send(refused->code(), ErrorMessage{refused->message()});
      session->socket->close();
      co_return;
    }
    session->state.set_sent(std::move(work.sent));
    more = work.more;
    if (!work.tasks.empty()) send_payload(*session, std::move(work.tasks));
  }
}

// Most wakes are for tasks that were sent already: a snapshot shows that without a write.
asio::awaitable<ecs::Work> AgentSessions::find_work(SessionPtr session) {
  const std::set<std::string> sent = session->state.sent(Steady::now());
  ecs::Unsent unsent;
  api::Engine::Work look = [&](Call& call) { unsent = ecs::look_for_work(call, session->home, sent); };
  co_await engine_.run(Access::Read, session->caller, std::move(look));
  ecs::Work work;
  if (unsent.positions.empty()) {
    work.sent = std::move(unsent.sent);
    co_return work;
  }
  api::Engine::Work prepare = [&](Call& call) { work = ecs::work_for(call, session->home, sent); };
  co_await engine_.run(Access::Write, session->caller, std::move(prepare));
  co_return work;
}

void AgentSessions::send_payload(Session& session, std::vector<Task> tasks) {
  PayloadMessage payload;
  payload.messageId = base::random_uuid();
  payload.clusterArn = ecs::cluster_arn(session.home.cluster);
  payload.containerInstanceArn = ecs::instance_arn(session.home.cluster, session.home.instance.id);
  payload.generatedAt = base::to_millis(engine_.clock().now());
  payload.tasks = std::move(tasks);
  const base::Time now = engine_.wall_clock().now();
  for (Task& task : payload.tasks) {
    if (!objects_) break;
    if (session.with_our_agent()) {
      task.stokerObjects = to_objects(*objects_, task, session.caller.account, now);
    } else {
      set_objects_endpoint(task, objects_->endpoint);
    }
  }
  std::vector<std::string> arns;
  for (const Task& task : payload.tasks) arns.push_back(task.arn);
  payload.seqNum = session.state.sent_payload(payload.messageId, std::move(arns), Steady::now());
  // A socket that can't send is closed, and its agent reconnects.
  session.send("PayloadMessage", payload);
}

asio::awaitable<void> AgentSessions::renew_credentials(SessionPtr session) {
  bool due = false;
  api::Engine::Work look = [&](Call& call) { due = ecs::credentials_end(call, session->home); };
  co_await engine_.run(Access::Read, session->caller, std::move(look));
  if (!due) co_return;
  std::vector<IAMRoleCredentialsMessage> messages;
  api::Engine::Work renew = [&](Call& call) { messages = ecs::renewed_credentials(call, session->home); };
  co_await engine_.run(Access::Write, session->caller, std::move(renew));
  for (const IAMRoleCredentialsMessage& message : messages) session->send("IAMRoleCredentialsMessage", message);
}

}  // namespace doors::agents
