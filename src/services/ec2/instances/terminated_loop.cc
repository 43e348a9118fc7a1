// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instances/terminated_loop.h"

#include <algorithm>

#include "services/ec2/instances/state_changes.h"
#include "state/ec2_instance.h"

namespace services::ec2 {
namespace {

constexpr base::Duration kTokenFor = std::chrono::hours(24);

std::optional<base::Time> first_token(store::Tx& tx) {
  return tx.query("SELECT created_at FROM ec2_launch_tokens ORDER BY created_at LIMIT 1").one([](const store::Row& row) {
    return row.time(0);
  });
}

void delete_old_rows(Call& call) {
  const base::Time since = call.now - kTerminatedFor;
  call.tx.exec("DELETE FROM ec2_tags WHERE type = 'instance' AND resource IN "
               "(SELECT id FROM ec2_instances WHERE state = 48 AND changed_at <= $1)",
               since);
  state::delete_terminated_ec2_instances(call.tx, since);
  call.tx.exec("DELETE FROM ec2_launch_tokens WHERE created_at <= $1", call.now - kTokenFor);
}

// When a row is next due; absent where there is none.
std::optional<base::Time> next_deletion(Call& call) {
  std::optional<base::Time> next;
  if (const auto first = state::first_terminated_ec2_instance(call.tx)) next = *first + kTerminatedFor;
  if (const auto first = first_token(call.tx)) next = next ? std::min(*next, *first + kTokenFor) : *first + kTokenFor;
  return next;
}

Decision look(Call& call) {
  const auto next = next_deletion(call);
  if (!next || *next > call.now) return {.next = next};
  // The rows that remain are looked at again at once.
  return {.apply = &delete_old_rows, .next = call.now};
}

}  // namespace

Loop terminated_loop() { return {"ec2-terminated", std::string(kTerminatedTopic), &look}; }

}  // namespace services::ec2
