// SPDX-License-Identifier: Apache-2.0
#include "services/logs/module.h"

#include "services/logs/errors.h"
#include "services/logs/filters/group_filters.h"
#include "services/logs/filters/minute_counts.h"
#include "services/logs/live_tails.h"
#include "services/logs/operations.h"
#include "services/logs/queries/query_progress.h"
#include "services/logs/queries/query_runner.h"
#include "shapes/logs/errors.h"
#include "telemetry/logs/chunk_files.h"

namespace services::logs {
namespace {

// A batch of 1 MiB, whose bytes may be escaped as \u00XX, and the names of 10,000 events' members.
constexpr std::size_t kBodyLimit = 8u << 20;

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows : {group_operations(), group_list_operations(), tag_operations(), stream_operations(),
                    put_operations(), read_operations(), record_operations(), metric_filter_operations(),
                    subscription_operations(), query_operations(), query_definition_operations(), resource_policy_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  Service logs;
  logs.wire = {.name = "logs",
               .target_prefix = "Logs_20140328",
               .api_version = "2014-03-28",
               .errors = shapes::logs::kErrors};
  logs.signing_name = "logs";
  logs.protocols = {wire::Protocol::Json11};
  logs.body_limit = kBodyLimit;
  logs.operations = all_operations();
  logs.violation_error = &violation_error;
  return logs;
}

std::vector<Gauge> group_gauges(Call& call) {
  const auto groups = call.tx.query("SELECT count(*) FROM logs_groups WHERE deleted = 0").integer();
  return {{.name = "stoker_logs_groups", .help = "Log groups.", .value = static_cast<double>(groups)}};
}

}  // namespace

Module module(const Options& options) {
  Module logs;
  logs.service = make_service();
  logs.migrations = migrations();
  logs.add_memory = [data = options.data](Locals& locals) {
    CHECK(!data.empty()) << "Logs needs a folder for its chunks";
    locals.add<telemetry::ChunkFiles>(data);
    locals.add<LiveTails>();
    locals.add<FilterCache>();
    locals.add<MinuteCounts>();
    locals.add<QueryProgress>();
  };
  logs.recover = &recover_chunk_files;
  logs.loops = loops();
  logs.loops.push_back(minute_loop());
  logs.loops.push_back(query_loop());
  logs.gauges = &group_gauges;
  return logs;
}

}  // namespace services::logs
