// SPDX-License-Identifier: Apache-2.0
// The rows of groups and streams.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "services/call.h"

namespace services::logs {

inline constexpr char kStandard[] = "STANDARD", kInfrequentAccess[] = "INFREQUENT_ACCESS";

struct Group {
  std::int64_t id = 0;
  std::string account, region, name;
  std::string log_class;
  base::Time created;
  std::optional<std::int32_t> retention_days;
  bool is_protected = false;
  std::int32_t metric_filters = 0;
  std::map<std::string, std::string> tags;

  // "arn:aws:logs:us-east-1:111111111111:log-group:NAME". DescribeLogGroups' `arn` ends in ":*".
  std::string arn() const;
  std::string stream_arn(const std::string& stream) const { return arn() + ":log-stream:" + stream; }
  // Woken when events arrive, and when the group is deleted.
  std::string topic() const { return "logs/group/" + std::to_string(id); }
  // Events before this time have expired: no operation returns them.
  std::int64_t expired_before_ms(base::Time now) const;
};

struct Stream {
  std::int64_t number = 0;
  std::string name;
  base::Time created;
  std::optional<std::int64_t> first_event_ms, last_event_ms, last_ingested_ms, last_batch;
};

// Amazon's rules, with its errors.
void check_group_name(std::string_view name);
void check_stream_name(std::string_view name);

// Throws ValidationException for a group that is protected from deletion.
void check_unprotected(const Group& group);

// Of the caller's account and region. nullopt for an unknown one.
std::optional<Group> find_group(Call& call, std::string_view name);
std::optional<Group> load_group(store::Tx& tx, std::int64_t id);
std::optional<Stream> find_stream(store::Tx& tx, std::int64_t group, std::string_view name);

// These throw ResourceNotFoundException.
Group require_group(Call& call, std::string_view name);
Stream require_stream(Call& call, const Group& group, std::string_view name);
// By name or ARN, as in logGroupIdentifier. A group of another account or region is not found. `member` is where the
// client named it.
Group require_identified_group(Call& call, const std::string& identifier,
                               std::string_view member = "logGroupIdentifier");
// One of both, as in GetLogEvents.
Group require_group(Call& call, const std::optional<std::string>& name, const std::optional<std::string>& identifier);

}  // namespace services::logs
