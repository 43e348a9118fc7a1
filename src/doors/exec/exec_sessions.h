// SPDX-License-Identifier: Apache-2.0
// The sessions of Exec that run: clients come with a token to the data channel, agents to /stoker/exec, and a Relay
// joins them. A loop begins sessions, ends them when their time has come, and stores how they ended.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/authenticate.h"
#include "api/door.h"
#include "api/engine.h"
#include "api/loops.h"
#include "base/guarded.h"
#include "doors/exec/log_budget.h"
#include "doors/exec/opening.h"
#include "doors/exec/relay.h"
#include "doors/exec/session_log.h"
#include "http/io_threads.h"
#include "http/server.h"
#include "http/websocket.h"
#include "shapes/stoker/exec.h"

namespace doors::exec {

// Sends a frame to the agent of an instance, on its own session. False where it has none.
using SendToAgent = std::function<bool(const model::InstanceId&, std::string frame)>;

class ExecSessions {
 public:
  // All of these outlive it.
  ExecSessions(http::IoThreads& io, api::Engine& engine, api::Authenticator& authenticator, SendToAgent send,
               spool::Disk disk, const RelayTimes& times)
      : io_(io), engine_(engine), authenticator_(authenticator), send_(std::move(send)), log_(engine, disk), times_(times) {}
  // Waits for sessions whose end is being stored. The loop has ended before.
  ~ExecSessions();

  // GET /v1/data-channel/ID: a client. A plugin whose upgrade is rejected hangs for ever, so every upgrade is accepted,
  // and reasons for a rejection are sent in channel_closed.
  boost::asio::awaitable<http::Response> serve_client(http::Exchange& exchange, signing::ClaimResult claim);
  // GET /stoker/exec?session=ID: the agent of the machine.
  boost::asio::awaitable<http::Response> serve_agent(http::Exchange& exchange, services::Caller caller);

  api::Loop loop();
  // The session of the agent is over: so are those of its containers.
  void agent_left(const model::InstanceId& instance);
  // The server ends: clients are notified at once, and the ends and logs of all sessions are stored, as far as that takes
  // no longer than kStoreEnds. Blocks: not for a thread of the server.
  void shut_down();

 private:
  struct Live;
  struct Connection;
  struct Opened;
  struct Signature;
  using LivePtr = std::shared_ptr<Live>;              // shared by the coroutines of its sockets, and the map
  using ConnectionPtr = std::shared_ptr<Connection>;  // shared by the two coroutines of a socket

  LivePtr begin(const state::ExecSession& row);
  LivePtr find(const std::string& id);
  std::vector<LivePtr> all();
  // Wakes all of its coroutines; the loop as well where the session is over.
  void changed(const LivePtr& live);
  boost::asio::awaitable<void> wait(LivePtr live, std::uint64_t seen, Steady until);

  boost::asio::awaitable<Signature> check_signature(http::Exchange& exchange, signing::ClaimResult claim);
  boost::asio::awaitable<Opened> welcome(http::Exchange& exchange, Signature signature, ConnectionPtr connection);
  boost::asio::awaitable<Opened> open(http::Exchange& exchange, std::string id, std::string text,
                                       services::Caller caller);
  boost::asio::awaitable<void> run_client(LivePtr live, ConnectionPtr connection);
  boost::asio::awaitable<void> read_client(LivePtr live, ConnectionPtr connection);
  boost::asio::awaitable<void> write_client(LivePtr live, ConnectionPtr connection);

  boost::asio::awaitable<void> admit(services::Caller caller, LivePtr live);
  boost::asio::awaitable<void> read_agent(LivePtr live, ConnectionPtr connection);
  boost::asio::awaitable<void> write_agent(LivePtr live, ConnectionPtr connection);

  // Runs the reader and the writer of a socket until both have ended.
  using Side = boost::asio::awaitable<void> (ExecSessions::*)(LivePtr, ConnectionPtr);
  boost::asio::awaitable<void> run(LivePtr live, ConnectionPtr connection, Side reader, Side writer);

  boost::asio::awaitable<std::optional<base::Time>> turn();
  // True where more sessions may wait to begin.
  boost::asio::awaitable<bool> look_at_rows();
  // Stores how a session has ended, beside the loop: a log may be long. Returns when to try that again, if it failed.
  Steady begin_finish(const LivePtr& live);
  boost::asio::awaitable<void> finish(LivePtr live);
  boost::asio::awaitable<void> store_end(LivePtr live);

  http::IoThreads& io_;
  api::Engine& engine_;
  api::Authenticator& authenticator_;
  const SendToAgent send_;
  SessionLog log_;
  const RelayTimes times_;
  LogBudget log_memory_;
  base::Guarded<std::map<std::string, LivePtr>> live_;
  Openings openings_;
  std::mutex mutex_;
  std::size_t finishing_ = 0;  // sessions whose end is being stored
  std::condition_variable finished_;
};

// The door of clients. The agents' path is an api::PathDoor.
class ExecDoor : public api::Door {
 public:
  explicit ExecDoor(ExecSessions& sessions) : sessions_(sessions) {}

  bool reserves(std::string_view path) const override { return path.starts_with(kPath); }
  bool accepts(const api::Arrival& arrival) const override { return arrival.head.path().starts_with(kPath); }
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

  static constexpr std::string_view kPath = "/v1/data-channel/";

 private:
  ExecSessions& sessions_;
};

}  // namespace doors::exec
