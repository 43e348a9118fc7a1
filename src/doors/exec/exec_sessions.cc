// SPDX-License-Identifier: Apache-2.0
// The loop of sessions, and what their two sides share.
#include "doors/exec/exec_sessions.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/check.h"
#include "base/log.h"
#include "base/random.h"
#include "doors/exec/live_session.h"
#include "services/shape_json.h"
#include "shapes/agent/extensions.h"
#include "wire/frame.h"

namespace doors::exec {
namespace asio = boost::asio;
using services::Access;
using services::Call;
using shapes::stoker::StokerExecSpec;

namespace {

constexpr std::int64_t kMaxNewSessions = 1000;  // of one turn
constexpr char kNotConnected[] = "The agent of the machine is not connected.";
constexpr char kShutDown[] = "The server is shutting down.";
constexpr base::Duration kStoreAgain = std::chrono::seconds(1);
constexpr auto kStoreEnds = std::chrono::seconds(10);

RelaySpec relay_spec(const state::ExecSession& row, const StokerExecSpec& spec) {
  return {.session = row.id,
          .ours = spec.ours,
          .interactive = spec.interactive,
          .tty = spec.tty,
          .logged = spec.logGroup.has_value() || spec.bucket.has_value()};
}

std::string agent_message(const state::ExecSession& row, const StokerExecSpec& spec) {
  shapes::agent::StokerExecMessage message;
  message.messageId = base::random_uuid();
  message.sessionId = row.id;
  message.taskArn = spec.taskArn;
  message.containerName = row.container;
  message.command = spec.command;
  message.arguments = spec.arguments;
  message.interactive = spec.interactive;
  message.tty = spec.tty;
  message.attach = spec.attach;
  message.logs = spec.logs;
  message.rows = spec.rows;
  message.columns = spec.columns;
  message.term = spec.term;
  return wire::write_frame("StokerExecMessage", message);
}

std::string end_message(const state::ExecSession& row) {
  shapes::agent::StokerExecEnd message;
  message.sessionId = row.id;
  return wire::write_frame("StokerExecEnd", message);
}

}  // namespace

ExecSessions::~ExecSessions() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return finishing_ == 0; });
}

ExecSessions::LivePtr ExecSessions::begin(const state::ExecSession& row) {
  const auto spec = services::from_json<StokerExecSpec>(row.spec_json);
  Relay relay(relay_spec(row, spec), times_, steady_now(), LogBudget::Loan(log_memory_, row.account));
  auto live = std::make_shared<Live>(row, spec, std::move(relay));
  const bool fresh = live_.with([&](auto& all) {
    const auto [place, added] = all.try_emplace(row.id, live);
    live = place->second;
    return added;
  });
  if (fresh && !send_(row.machine, agent_message(row, spec))) {
    live->relay.with([](Relay& relay) { relay.end(kNotConnected, steady_now(), state::ExecStatus::Failed); });
    changed(live);
  }
  return live;
}

ExecSessions::LivePtr ExecSessions::find(const std::string& id) {
  return live_.with([&](auto& all) {
    const auto found = all.find(id);
    return found == all.end() ? nullptr : found->second;
  });
}

std::vector<ExecSessions::LivePtr> ExecSessions::all() {
  return live_.with([](auto& all) {
    std::vector<LivePtr> list;
    for (const auto& [id, live] : all) list.push_back(live);
    return list;
  });
}

void ExecSessions::changed(const LivePtr& live) {
  engine_.topics().wake(live->topic());
  const bool due = live->relay.with([](Relay& relay) { return relay.over() || relay.hangs_up(); });
  if (due) engine_.topics().wake(std::string(state::kExecTopic));
}

asio::awaitable<void> ExecSessions::wait(LivePtr live, std::uint64_t seen, Steady until) {
  const auto left = std::chrono::ceil<base::Duration>(std::min<std::chrono::steady_clock::duration>(until - steady_now(), kPingEvery));
  if (left > base::Duration::zero()) co_await engine_.topics().wait(live->topic(), seen, left);
}

asio::awaitable<void> ExecSessions::run(LivePtr live, ConnectionPtr connection, Side reader, Side writer) {
  auto executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, (this->*writer)(live, connection), [this, live, connection](std::exception_ptr) {
    connection->writing = false;
    connection->socket->close();
    changed(live);
  });
  std::exception_ptr failure;
  try {
    co_await (this->*reader)(live, connection);
  } catch (...) {
    failure = std::current_exception();
  }
  connection->reading = false;
  engine_.topics().wake(live->topic());
  // The writer runs on this thread: a wait that always returns at once would never let it run.
  for (std::uint64_t seen = engine_.topics().seen(); connection->writing; seen = engine_.topics().seen()) {
    co_await wait(live, seen, steady_now() + kPingEvery);
  }
  if (failure) std::rethrow_exception(failure);
}

api::Loop ExecSessions::loop() {
  return {"exec sessions", std::string(state::kExecTopic), std::bind_front(&ExecSessions::turn, this)};
}

asio::awaitable<std::optional<base::Time>> ExecSessions::turn() {
  const bool more = co_await look_at_rows();
  Steady next = Steady::max();
  for (const LivePtr& live : all()) {
    struct Look {
      bool over = false, changed = false, hang_up = false;
      Steady next;
    };
    const Look look = live->relay.with([](Relay& relay) {
      const bool ended = relay.command_ended(), over = relay.over();
      relay.tick(steady_now());
      const bool changed = ended != relay.command_ended() || over != relay.over();
      return Look{relay.over(), changed, relay.take_hang_up(), relay.next_tick()};
    });
    if (look.changed) engine_.topics().wake(live->topic());
    if (look.hang_up) send_(live->row.machine, end_message(live->row));
    next = std::min(next, look.over ? begin_finish(live) : look.next);
  }
  if (more) co_return engine_.clock().now();
  if (next == Steady::max()) co_return std::nullopt;
  co_return engine_.clock().now() + std::chrono::ceil<base::Duration>(next - steady_now());
}

asio::awaitable<bool> ExecSessions::look_at_rows() {
  std::vector<state::ExecSession> fresh;
  std::vector<std::string> terminating;
  const services::Caller nobody;
  api::Engine::Work look = [&](Call& call) {
    fresh = state::list_new_exec_sessions(call.tx, kMaxNewSessions);
    terminating = state::list_terminating_exec_sessions(call.tx);
  };
  co_await engine_.run(Access::Read, nobody, std::move(look));
  // Before their rows change: a client takes a session that has begun but is missing here for an ended one.
  for (const state::ExecSession& row : fresh) begin(row);
  if (!fresh.empty()) {
    api::Engine::Work mark = [&](Call& call) {
      for (const state::ExecSession& row : fresh) state::set_exec_begun(call.tx, row.id);
    };
    co_await engine_.run(Access::Write, nobody, std::move(mark));
  }
  for (const std::string& id : terminating) {
    const LivePtr live = find(id);
    if (!live) continue;
    // Both sides at once: each may be gone as soon as it is notified.
    const bool hang_up = live->relay.with([](Relay& relay) {
      relay.end("", steady_now());
      return relay.take_hang_up();
    });
    if (hang_up) send_(live->row.machine, end_message(live->row));
    engine_.topics().wake(live->topic());
  }
  co_return std::ssize(fresh) == kMaxNewSessions;
}

Steady ExecSessions::begin_finish(const LivePtr& live) {
  const Steady due = live->finish.with([](Live::Finish& finish) {
    if (finish.under_way) return Steady::max();
    if (finish.due <= steady_now()) finish.under_way = true;
    return finish.under_way ? Steady() : finish.due;
  });
  if (due != Steady()) return due;
  {
    std::lock_guard lock(mutex_);
    ++finishing_;
  }
  asio::co_spawn(io_.next(), finish(live), [this](std::exception_ptr error) {
    CHECK(!error) << "the end of a session let an exception through";
    std::lock_guard lock(mutex_);
    --finishing_;
    finished_.notify_all();
  });
  return Steady::max();
}

asio::awaitable<void> ExecSessions::finish(LivePtr live) {
  try {
    co_await store_end(live);
  } catch (const std::exception& error) {
    base::log_error("the end of a session was not stored", {{"session", live->row.id}, {"error", error.what()}});
    live->finish.with([](Live::Finish& finish) {
      finish = {false, steady_now() + kStoreAgain};
      return true;
    });
    engine_.topics().wake(std::string(state::kExecTopic));
  }
}

asio::awaitable<void> ExecSessions::store_end(LivePtr live) {
  struct End {
    state::ExecStatus status = state::ExecStatus::Terminated;
    std::string reason, log;
    bool log_is_cut = false;
  };
  const End end = live->relay.with([](Relay& relay) {
    return End{relay.status(), relay.reason(), relay.take_log(), relay.log_is_cut()};
  });
  if (end.log_is_cut) {
    base::log_warn("the log of a session has not all of its output", {{"session", live->row.id}, {"bytes", end.log.size()}});
  }
  if (!end.log.empty()) co_await log_.store(live->row, live->spec, end.log);
  const services::Caller nobody;
  api::Engine::Work write = [&](Call& call) {
    state::end_exec_session(call.tx, live->row.id, end.status, end.reason, call.now);
  };
  co_await engine_.run(Access::Write, nobody, std::move(write));
  live_.with([&](auto& all) { return all.erase(live->row.id); });
  engine_.topics().wake(live->topic());
}

void ExecSessions::agent_left(const model::InstanceId& instance) {
  for (const LivePtr& live : all()) {
    if (live->row.machine != instance) continue;
    live->relay.with([](Relay& relay) { relay.disconnect_agent("The connection to the machine was lost.", steady_now()); });
    changed(live);
  }
}

void ExecSessions::shut_down() {
  for (const LivePtr& live : all()) {
    live->relay.with([](Relay& relay) { relay.end(kShutDown, steady_now()); });
    const auto client = live->client.with([](auto& newest) { return newest; });
    if (client) {
      client->send_binary(datachannel::channel_closed(live->row.id, kShutDown, base::to_millis(engine_.clock().now())));
      client->close();
    }
    changed(live);
    begin_finish(live);
  }
  std::unique_lock lock(mutex_);
  finished_.wait_for(lock, kStoreEnds, [this] { return finishing_ == 0; });
}

}  // namespace doors::exec
