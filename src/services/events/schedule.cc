// SPDX-License-Identifier: Apache-2.0
#include "services/events/schedule.h"

#include <algorithm>

#include "services/events/delivery.h"

namespace services::events {
namespace {

constexpr std::int64_t kMaxRulesPerTurn = 50;
constexpr std::ptrdiff_t kCronFields = 6;

// "rate(1 minute)" and "rate(5 minutes)", not "rate(1 minutes)".
bool agrees(std::string_view rate) {
  return rate.starts_with("rate(1 ") != rate.ends_with("s)");
}

bool has_cron_fields(std::string_view cron) { return std::ranges::count(cron, ' ') == kCronFields - 1; }

// A rate counts from `anchor`.
std::optional<base::Time> next_due(const StoredRule& rule, base::Time anchor, base::Time now) {
  const auto schedule = rule.enabled && rule.schedule ? parse_rule_schedule(*rule.schedule) : std::nullopt;
  if (!schedule) return std::nullopt;
  return autoscaler::next_due(*schedule, base::TimeZone(), {.anchor = anchor}, now);
}

void run_due_rules(Call& call) {
  const auto numbers = call.tx
                           .query("SELECT id FROM events_rules WHERE due_at IS NOT NULL AND due_at <= $1"
                                  " ORDER BY due_at, id LIMIT $2",
                                  call.now, kMaxRulesPerTurn)
                           .all([](const store::Row& row) { return row.integer(0); });
  for (const std::int64_t number : numbers) {
    StoredRule rule = *load_rule(call, number);
    deliver_scheduled(call, rule);
    rule.due_at = next_due(rule, *rule.due_at, call.now);
    update_rule(call, rule);
  }
}

Decision look_at_rules(Call& call) {
  const auto first = call.tx.query("SELECT min(due_at) FROM events_rules WHERE due_at IS NOT NULL")
                         .one([](const store::Row& row) { return row.maybe_time(0); })
                         .value_or(std::nullopt);
  if (!first || *first > call.now) return {.next = first};
  // What comes after these is known once they have run.
  return {.apply = &run_due_rules, .next = call.now};
}

}  // namespace

std::optional<autoscaler::Schedule> parse_rule_schedule(std::string_view text) {
  const bool known = text.starts_with("rate(") ? agrees(text) : text.starts_with("cron(") && has_cron_fields(text);
  auto schedule = known ? autoscaler::parse_schedule(text) : base::Error{"neither a rate nor a cron expression"};
  return schedule ? std::optional(std::move(*schedule)) : std::nullopt;
}

void start_schedule(Call& call, StoredRule& rule) {
  rule.due_at = next_due(rule, call.now, call.now);
  if (rule.due_at) call.wake(kSchedulesTopic);
}

Loop schedule_loop() { return {.name = "events-schedules", .topic = kSchedulesTopic, .look = &look_at_rules}; }

}  // namespace services::events
