// SPDX-License-Identifier: Apache-2.0
// Sessions of Exec: a command in a running container, and the client that it talks to. ECS writes them, SSM shows and
// ends them, and the door of the data channel runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "state/row_number.h"
#include "store/store.h"

namespace state {

// SSM's names of session states. The last two are final.
enum class ExecStatus { Connecting = 0, Connected = 1, Disconnected = 2, Terminating = 3, Terminated = 4, Failed = 5 };
std::string_view text(ExecStatus status);

struct ExecSession {
  std::int64_t number = 0;  // grows with time
  std::string id;           // "ecs-execute-command-..."
  std::string account, region;
  ClusterNumber cluster{};
  std::string task;  // its id
  std::string container;
  model::InstanceId machine;
  std::string target;  // "ecs:CLUSTER_TASK_RUNTIME", as clients of SSM name it
  std::string owner;   // an ARN
  ExecStatus status = ExecStatus::Connecting;
  bool begun = false;  // the door has taken it
  std::string token_hash = {};  // of the token that opens the data channel; "": it was used
  base::Time token_until = {};
  std::string spec_json = {};  // the command and what belongs to it; "" once it has ended
  base::Time created_at = {};
  std::optional<base::Time> ended_at = {};
  std::string reason = {};  // why it ended
};

store::Migrations exec_session_migrations();

// A session was written, or is to end.
inline constexpr std::string_view kExecTopic = "exec/sessions";

// A token opens the data channel once, within this time.
inline constexpr base::Duration kExecTokenLife = std::chrono::minutes(1);
struct ExecToken {
  std::string value, hash;
};
ExecToken new_exec_token();
// Whether it has the form of one.
bool valid_exec_token(std::string_view token);
std::string exec_token_hash(std::string_view token);

// Where clients that reach the server at `endpoint` open the data channel: "ws://127.0.0.1:4566/v1/data-channel/ID?..."
std::string exec_stream_url(const std::string& endpoint, const std::string& session);

// Sets its number, and deletes sessions of the account that ended long ago, or are too many.
void insert_exec_session(store::Tx& tx, ExecSession& session);
std::optional<ExecSession> find_exec_session(store::Tx& tx, const std::string& id);
// Those that the door has not taken yet, oldest first.
std::vector<ExecSession> list_new_exec_sessions(store::Tx& tx, std::int64_t most);
// Ids of those that TerminateSession wants to end.
std::vector<std::string> list_terminating_exec_sessions(store::Tx& tx);
std::int64_t count_live_exec_sessions(store::Tx& tx, const std::string& task, const std::string& container);

void set_exec_begun(store::Tx& tx, const std::string& id);
void replace_exec_token(store::Tx& tx, const std::string& id, const std::string& hash, base::Time until);
// Uses the token up. False: it is another one, was used, has expired, or the session ends.
bool use_exec_token(store::Tx& tx, const std::string& id, const std::string& hash, base::Time now);
// Of a session that has not ended and is not about to.
void set_exec_status(store::Tx& tx, const std::string& id, ExecStatus status);
// Keeps the first end.
void end_exec_session(store::Tx& tx, const std::string& id, ExecStatus status, const std::string& reason,
                      base::Time now);
// At the start of the server: nothing survives its end.
void end_all_exec_sessions(store::Tx& tx, const std::string& reason, base::Time now);

// The newest first, below the number `before`.
struct ExecSessionFilter {
  std::string account, region;
  bool ended = false;
  std::int64_t before = 0;  // 0: from the newest
  std::optional<base::Time> after_time = {}, before_time = {};  // of the start
  std::optional<std::string> target = {}, owner = {}, id = {};
  std::optional<ExecStatus> status = {};
  std::int64_t most = 0;
};
std::vector<ExecSession> list_exec_sessions(store::Tx& tx, const ExecSessionFilter& filter);

}  // namespace state
