// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/clock_repair.h"

#include "base/log.h"
#include "base/plausible_time.h"
#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

// How far an earlier server's clock may have been ahead of the time that it recorded last. This server began there.
constexpr base::Duration kUnrecorded = std::chrono::minutes(2);
constexpr base::Duration kLongestDelay = std::chrono::minutes(15) + kUnrecorded;       // of messages never received
constexpr base::Duration kLongestVisibility = std::chrono::hours(12) + kUnrecorded;

}  // namespace

void repair_future_times(Call& call) {
  // The machine's clock is not set yet: its time is wrong, and the times in the database are right.
  if (call.now < base::kFirstPlausibleTime) return;
  const std::int64_t shown = call.tx.exec(
      "UPDATE sqs_messages SET visible_at = $1 WHERE lot IN (SELECT id FROM sqs_lots WHERE dead = 0)"
      " AND visible_at > $2 AND visible_at < $4 AND (receive_count = 0 OR visible_at > $3)",
      call.now, call.now + kLongestDelay, call.now + kLongestVisibility, kBlocked);
  call.tx.exec("DELETE FROM sqs_deduplication WHERE at > $1", call.now + kUnrecorded);
  call.tx.exec("DELETE FROM sqs_receive_attempts WHERE at > $1", call.now + kUnrecorded);
  if (shown > 0) base::log_warn("messages were hidden until a time in the future: made visible", {{"messages", shown}});
}

}  // namespace services::sqs
