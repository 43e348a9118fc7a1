// SPDX-License-Identifier: Apache-2.0
// Background work of Logs: sealing batches into chunks, and deleting what has expired or belongs to deleted groups.
#include <algorithm>
#include <system_error>

#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "services/logs/topics.h"
#include "services/usage.h"
#include "telemetry/logs/expire.h"
#include "telemetry/logs/seal.h"

namespace services::logs {
namespace {

constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(5);
// Amazon deletes up to 72 hours late; reads hide what has expired at once.
constexpr base::Duration kSweepEvery = std::chrono::minutes(10);
constexpr base::Duration kFullDiskPause = std::chrono::minutes(1);
constexpr std::int64_t kGroupsPerLook = 200, kSlice = 200, kStreamSlice = 2000;
constexpr std::int64_t kFilesPerLook = 100;

class Sealer {
 public:
  Decision look(Call& call) {
    auto& files = call.local<telemetry::ChunkFiles>();
    settle(call, files);
    Decision decision;
    const auto due = telemetry::next_due_group(call.tx);
    if (!due) return decision;
    decision.next = base::from_millis(due->seal_at_ms);
    if (*decision.next > call.now) return decision;
    try {
      telemetry::SealPlan plan = telemetry::plan_seal(call.tx, files, due->group);
      written_ = plan.files();
      decision.next = call.now;
      decision.apply = [plan = std::move(plan)](Call& write) { telemetry::apply_seal(write.tx, plan, write.now); };
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::no_space_on_device) throw;
      decision.next = call.now + kFullDiskPause;  // batches can be read as they are
    }
    return decision;
  }

 private:
  // The files of the last plan: those that were committed move to their place, the others were for nothing.
  void settle(Call& call, telemetry::ChunkFiles& files) {
    for (const std::string& file : written_) {
      if (telemetry::is_chunk_file(call.tx, file)) {
        files.files.keep(file);
      } else {
        files.files.drop(file);
      }
    }
    written_.clear();
  }

  std::vector<std::string> written_;
};

std::int64_t first_integer(const store::Row& row) { return row.integer(0); }

struct Garbage {
  std::optional<std::int64_t> deleted_group = {};
  std::vector<std::int64_t> expired = {};  // groups
  std::vector<std::string> files = {};

  bool empty() const { return !deleted_group && expired.empty() && files.empty(); }
};

// The row of a deleted group goes last: until then its id is not used again.
void empty_deleted_group(Call& call, std::int64_t group) {
  const auto account = call.tx.query("SELECT account FROM logs_groups WHERE id = $1 AND deleted = 1", group)
                           .one([](const store::Row& row) { return row.str(0); });
  if (!account) return;
  const telemetry::LogSlice slice = telemetry::delete_log_slice(call.tx, group, kSlice, call.now);
  add_usage(call.tx, *account, {.bytes = -slice.bytes});
  const std::int64_t streams = call.tx.exec(
      "DELETE FROM logs_streams WHERE group_id = $1 AND number IN"
      " (SELECT number FROM logs_streams WHERE group_id = $1 LIMIT $2)",
      group, kStreamSlice);
  if (slice.closed && streams == 0) call.tx.exec("DELETE FROM logs_groups WHERE id = $1", group);
}

void delete_garbage(Call& call, const Garbage& garbage) {
  if (garbage.deleted_group) empty_deleted_group(call, *garbage.deleted_group);
  for (const std::int64_t id : garbage.expired) {
    // Looked up again: it may have a longer retention by now.
    const auto group = load_group(call.tx, id);
    if (!group || !group->retention_days) continue;
    const std::int64_t before_ms = group->expired_before_ms(call.now);
    add_usage(call.tx, group->account, {.bytes = -telemetry::delete_expired(call.tx, id, before_ms, kSlice, call.now)});
  }
  for (const std::string& file : garbage.files) telemetry::forget_dead_file(call.tx, file);
}

// Looks at the groups with a retention in the order of their ids, some at each look.
class Sweep {
 public:
  Decision look(Call& call) {
    Garbage garbage;
    garbage.deleted_group =
        call.tx.query("SELECT id FROM logs_groups WHERE deleted = 1 ORDER BY id LIMIT 1").one(first_integer);
    const auto page = call.tx
                          .query("SELECT id FROM logs_groups WHERE retention_days IS NOT NULL AND id > $1 ORDER BY id"
                                 " LIMIT $2",
                                 after_, kGroupsPerLook)
                          .all(first_integer);
    for (const std::int64_t id : page) {
      const auto group = load_group(call.tx, id);
      if (!group || !group->retention_days) continue;
      if (telemetry::has_expired(call.tx, id, group->expired_before_ms(call.now))) garbage.expired.push_back(id);
    }
    // A file goes before the row that remembers it.
    const objects::Files& files = call.local<telemetry::ChunkFiles>().files;
    const bool held = files.all_held();
    if (!held) garbage.files = telemetry::dead_files(call.tx, call.now - telemetry::kDeadFileAge, kFilesPerLook);
    for (const std::string& file : garbage.files) files.drop(file);
    const bool last_page = page.size() < static_cast<std::size_t>(kGroupsPerLook);
    if (garbage.expired.empty()) after_ = last_page ? 0 : page.back();
    Decision decision;
    const bool more = !garbage.empty() || !last_page;
    decision.next = call.now + (more ? kBetweenSlices : kSweepEvery);
    if (const auto dead = telemetry::oldest_dead_file(call.tx); dead && !more && !held) {
      decision.next = std::min(*decision.next, *dead + telemetry::kDeadFileAge + base::Duration(1));
    }
    if (!garbage.empty()) decision.apply = [garbage](Call& write) { delete_garbage(write, garbage); };
    return decision;
  }

 private:
  std::int64_t after_ = 0;
};

}  // namespace

std::vector<Loop> loops() {
  return {{"logs seal", telemetry::kSealTopic, [sealer = Sealer()](Call& call) mutable { return sealer.look(call); }},
          {"logs sweep", kSweepTopic, [sweep = Sweep()](Call& call) mutable { return sweep.look(call); }}};
}

void recover_chunk_files(Call& call) {
  call.local<telemetry::ChunkFiles>().files.recover(
      [&](const std::string& file) { return telemetry::is_chunk_file(call.tx, file); });
}

}  // namespace services::logs
