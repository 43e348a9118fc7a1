// SPDX-License-Identifier: Apache-2.0
// The output of a session, written when it ends to the log group and the bucket that the cluster's
// executeCommandConfiguration names: to the log stream SESSION and the object [PREFIX/]SESSION.log, as Amazon does.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/engine.h"
#include "shapes/logs/log_event.h"
#include "shapes/stoker/exec.h"
#include "spool/spool.h"
#include "state/exec_session.h"

namespace doors::exec {

class SessionLog {
 public:
  // Both outlive it.
  SessionLog(api::Engine& engine, spool::Disk disk) : engine_(engine), disk_(disk) {}

  // A group or bucket that does not exist is logged by the server and does not fail the session.
  boost::asio::awaitable<void> store(state::ExecSession session, shapes::stoker::StokerExecSpec spec, std::string output);

 private:
  boost::asio::awaitable<void> store_events(services::Caller owner, std::string group, std::string stream,
                                            std::string output);
  boost::asio::awaitable<void> store_object(services::Caller owner, std::string bucket, std::string key,
                                            std::string output);

  api::Engine& engine_;
  const spool::Disk disk_;
};

// The output as log events, one per line, in batches that PutLogEvents accepts.
std::vector<std::vector<shapes::logs::InputLogEvent>> to_log_events(std::string_view output, std::int64_t now_ms);

}  // namespace doors::exec
