// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_module.h"

#include <map>

#include "services/cloudwatch/alarms/action_loop.h"
#include "services/cloudwatch/alarms/alarm_loop.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_schedule.h"
#include "services/cloudwatch/watched_series.h"

namespace services::cloudwatch {

std::vector<Operation> alarm_operations() {
  std::vector<Operation> all;
  for (auto rows : {put_alarm_operations(), describe_alarm_operations(), alarm_state_operations(),
                    alarm_history_operations(), tag_operations(), dashboard_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::vector<Operation> internal_alarm_operations() { return webhook_result_operations(); }

std::vector<Loop> alarm_loops() { return {alarm_loop(), action_loop(), alarm_history_loop()}; }

void add_alarm_memory(Locals& locals) { locals.add<AlarmSchedule>(); }

void recover_alarms(Call& call) {
  std::map<std::int64_t, std::vector<std::string>> metrics;
  call.tx.query("SELECT alarm, series FROM cloudwatch_alarm_metrics").each([&](const store::Row& row) {
    metrics[row.integer(0)].push_back(row.str(1));
  });
  AlarmSchedule& schedule = call.local<AlarmSchedule>();
  WatchedSeries& watched = call.local<WatchedSeries>();
  call.tx.query("SELECT id, account, region FROM cloudwatch_alarms").each([&](const store::Row& row) {
    const std::int64_t id = row.integer(0);
    for (const std::string& key : metrics[id]) watched.watch(key);
    schedule.set(id, row.str(1) + "/" + row.str(2), metrics[id]);
    // What arrived just before the last stop may not have been looked at.
    schedule.mark(id);
  });
}

}  // namespace services::cloudwatch
