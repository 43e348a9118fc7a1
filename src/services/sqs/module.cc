// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/module.h"

#include "services/sqs/clock_repair.h"
#include "services/sqs/errors.h"
#include "services/sqs/holders.h"
#include "services/sqs/in_flight_limit.h"
#include "services/sqs/metrics.h"
#include "services/sqs/operations.h"
#include "services/sqs/recent_counts.h"

namespace services::sqs {
namespace {

// A batch of 1 MiB may be three times that in a form, where a byte is %XX.
constexpr std::size_t kBodyLimit = 4u << 20;
constexpr std::int64_t kMostCountedMessages = 1'000'000;  // for a page of metrics

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (auto rows : {queue_operations(), queue_list_operations(), tag_operations(), permission_operations(),
                    send_operations(), receive_operations(), in_flight_operations(), move_task_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

Service make_service() {
  static const std::vector<wire::ErrorSpec> errors = error_table();
  Service sqs;
  sqs.wire = {.name = "sqs",
              .json_namespace = "com.amazonaws.sqs",
              .target_prefix = "AmazonSQS",
              .api_version = "2012-11-05",
              .xml_namespace = "http://queue.amazonaws.com/doc/2012-11-05/",
              .query_compatible = true,
              .errors = errors};
  sqs.signing_name = "sqs";
  sqs.protocols = {wire::Protocol::Json10, wire::Protocol::Query};
  sqs.body_limit = kBodyLimit;
  sqs.operations = all_operations();
  sqs.violation_error = &violation_error;
  sqs.path_member = "QueueUrl";
  return sqs;
}

std::vector<Gauge> queue_gauges(Call& call) {
  const auto queues = call.tx.query("SELECT count(*) FROM sqs_queues").integer();
  // One series for all queues: their number is not bounded. The index of messages is read, and no row.
  const auto messages =
      call.tx.query("SELECT count(*) FROM (SELECT lot FROM sqs_messages LIMIT $1) counted", kMostCountedMessages).integer();
  return {{.name = "stoker_sqs_queues", .help = "Queues.", .value = static_cast<double>(queues)},
          {.name = "stoker_sqs_messages",
           .help = "Messages in all queues; 1000000 stands for any larger number.",
           .value = static_cast<double>(messages)}};
}

void recover(Call& call) {
  repair_future_times(call);
  find_active_queues(call);
}

}  // namespace

Module module(const Options&) {
  Module sqs;
  sqs.service = make_service();
  sqs.internal_operations = internal_send_operations();
  for (Operation& row : holder_operations()) sqs.internal_operations.push_back(std::move(row));
  for (const Operation& row : tracked_message_operations()) sqs.internal_operations.push_back(row);
  sqs.migrations = migrations();
  sqs.add_memory = [](Locals& locals) {
    locals.add<InFlightLimit>();
    locals.add<Holders>();
    locals.add<QueueActivity>();
    locals.add<RecentCounts>();
  };
  sqs.recover = &recover;
  sqs.loops = {sweep_loop(), move_loop()};
  sqs.gauges = &queue_gauges;
  sqs.measure = [meter = QueueMeter()](Call& call, const Due& due) mutable { return meter.measure(call, due); };
  return sqs;
}

}  // namespace services::sqs
