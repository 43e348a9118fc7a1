// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/removal.h"

#include "base/log.h"
#include "services/invoke.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

constexpr base::Duration kAfterProblem = std::chrono::minutes(10);
constexpr std::int64_t kMaxRemovals = 1000;  // shown

const std::string kSelectRemoval =
    "SELECT number, account, region, name, bucket, problem, created_at FROM pipeline_removals";

Removal read_removal(const store::Row& row) {
  return {row.integer(0), row.str(1), row.str(2), row.str(3), row.str(4), row.str(5), row.time(6)};
}

// One slice. False: there is more.
bool take_slice(Call& call, const Removal& removal) {
  Caller principal = as_service(call, "pipelines.stoker", "", removal.account);
  principal.region = removal.region;
  Call inner{call.tx, principal, call.now, call.started, call.locals, call.directory};
  const bool gone = empty_bucket(inner, removal.bucket);
  for (Wake& wake : inner.wakes) call.wakes.push_back(std::move(wake));
  return gone;
}

void continue_removal(Call& call, std::int64_t number) {
  static const std::string sql = kSelectRemoval + " WHERE number = $1";
  const auto removal = call.tx.query(sql, number).one(read_removal);
  if (!removal) return;
  try {
    if (take_slice(call, *removal)) call.tx.exec("DELETE FROM pipeline_removals WHERE number = $1", number);
  } catch (const wire::ApiError& error) {
    base::log_error("pipeline's bucket not emptied", {{"bucket", removal->bucket}, {"error", error.message()}});
    call.tx.exec("UPDATE pipeline_removals SET due_at = $2, problem = $3 WHERE number = $1", number,
                 call.now + kAfterProblem, error.message());
  }
}

Decision look_at_removals(Call& call) {
  Decision decision;
  call.tx.query("SELECT number, due_at FROM pipeline_removals ORDER BY due_at, number LIMIT 1")
      .each([&](const store::Row& row) {
        const base::Time due = row.time(1);
        decision.next = std::max(due, call.now);
        if (due > call.now) return;
        decision.apply = [number = row.integer(0)](Call& write) { continue_removal(write, number); };
      });
  return decision;
}

}  // namespace

void add_removal(Call& call, const std::string& name, const std::string& bucket) {
  call.tx.exec("INSERT INTO pipeline_removals (account, region, name, bucket, due_at, problem, created_at) "
               "VALUES ($1, $2, $3, $4, $5, $6, $5)",
               call.caller.account, call.caller.region, name, bucket, call.now, "");
  call.wake(kRemovalsTopic);
}

std::optional<Removal> find_removal(Call& call, const std::string& name) {
  static const std::string sql = kSelectRemoval + " WHERE account = $1 AND region = $2 AND name = $3";
  if (name.find('\0') != name.npos) return std::nullopt;
  return call.tx.query(sql, call.caller.account, call.caller.region, name).one(read_removal);
}

std::vector<Removal> list_removals(Call& call) {
  static const std::string sql = kSelectRemoval + " WHERE account = $1 AND region = $2 ORDER BY name LIMIT $3";
  return call.tx.query(sql, call.caller.account, call.caller.region, kMaxRemovals).all(read_removal);
}

Loop removal_loop() {
  return {.name = "pipeline-removals", .topic = kRemovalsTopic, .look = &look_at_removals};
}

}  // namespace services::pipelines
