// SPDX-License-Identifier: Apache-2.0
#include "services/logs/group.h"

#include "base/bytes.h"
#include "services/arn.h"
#include "services/logs/errors.h"
#include "services/shape_json.h"

namespace services::logs {
namespace {

constexpr std::size_t kMaxName = 512;
constexpr char kGroupPattern[] = R"([\.\-_/#A-Za-z0-9]+)";
constexpr char kStreamPattern[] = "[^:*]*";
constexpr char kGroupColumns[] =
    "id, account, region, name, class, created_at, retention_days, protected, metric_filters, tags";

bool is_group_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(".-_/#").find(c) != std::string_view::npos;
}

Group read_group(const store::Row& row) {
  Group group;
  group.id = row.integer(0);
  group.account = row.str(1);
  group.region = row.str(2);
  group.name = row.str(3);
  group.log_class = row.str(4);
  group.created = row.time(5);
  if (auto days = row.maybe_integer(6)) group.retention_days = static_cast<std::int32_t>(*days);
  group.is_protected = row.boolean(7);
  group.metric_filters = static_cast<std::int32_t>(row.integer(8));
  group.tags = from_json<std::map<std::string, std::string>>(row.text(9));
  return group;
}

}  // namespace

std::string Group::arn() const {
  const std::string resource = "log-group:" + name;
  return Arn{.service = "logs", .region = region, .account = account, .resource = resource}.str();
}

std::int64_t Group::expired_before_ms(base::Time now) const {
  if (!retention_days) return 0;
  return base::to_millis(now - std::chrono::hours(24) * *retention_days);
}

void check_group_name(std::string_view name) {
  if (name.size() > kMaxName) {
    throw invalid_parameter("Invalid LogGroup or LogStream, both must have length less than or equal to 512.");
  }
  for (const char c : name) {
    if (!is_group_character(c)) throw pattern_violation("logGroupName", name, kGroupPattern);
  }
  if (base::to_lower(name.substr(0, 4)) == "aws/") {
    throw invalid_parameter("Log groups starting with AWS/ are reserved for AWS.");
  }
}

void check_stream_name(std::string_view name) {
  // A zero byte can't be stored as text.
  if (name.find_first_of(std::string_view(":*\0", 3)) != name.npos) {
    throw pattern_violation("logStreamName", name, kStreamPattern);
  }
}

void check_unprotected(const Group& group) {
  if (!group.is_protected) return;
  throw wire::ApiError("ValidationException", "The log group '" + group.name +
                                                  "' has deletion protection enabled. Disable it first.");
}

std::optional<Group> find_group(Call& call, std::string_view name) {
  static const std::string sql = std::string("SELECT ") + kGroupColumns +
                                 " FROM logs_groups WHERE account = $1 AND region = $2 AND name = $3 AND deleted = 0";
  if (name.find('\0') != name.npos) return std::nullopt;
  return call.tx.query(sql, call.caller.account, call.caller.region, name).one(read_group);
}

std::optional<Group> load_group(store::Tx& tx, std::int64_t id) {
  static const std::string sql = std::string("SELECT ") + kGroupColumns +
                                 " FROM logs_groups WHERE id = $1 AND deleted = 0";
  return tx.query(sql, id).one(read_group);
}

std::optional<Stream> find_stream(store::Tx& tx, std::int64_t group, std::string_view name) {
  if (name.find('\0') != name.npos) return std::nullopt;
  return tx
      .query("SELECT number, name, created_at, first_event_at, last_event_at, last_ingested_at, last_batch"
             " FROM logs_streams WHERE group_id = $1 AND name = $2",
             group, name)
      .one([](const store::Row& row) {
        return Stream{row.integer(0),       row.str(1),           row.time(2),         row.maybe_integer(3),
                      row.maybe_integer(4), row.maybe_integer(5), row.maybe_integer(6)};
      });
}

Group require_group(Call& call, std::string_view name) {
  auto group = find_group(call, name);
  if (!group) throw group_not_found();
  return std::move(*group);
}

Stream require_stream(Call& call, const Group& group, std::string_view name) {
  auto stream = find_stream(call.tx, group.id, name);
  if (!stream) throw stream_not_found();
  return std::move(*stream);
}

Group require_identified_group(Call& call, const std::string& identifier, std::string_view member) {
  const auto arn = parse_arn(identifier, "logs");
  if (!arn) {
    check_group_name(identifier);
    return require_group(call, identifier);
  }
  constexpr std::string_view kPrefix = "log-group:";
  if (identifier.find('*') != identifier.npos) {
    throw pattern_violation(member, identifier, R"([\w#+=/:,.@-]*)");
  }
  const bool ours = arn->account == call.caller.account && arn->region == call.caller.region;
  if (!ours || !arn->resource.starts_with(kPrefix)) throw group_not_found();
  return require_group(call, arn->resource.substr(kPrefix.size()));
}

Group require_group(Call& call, const std::optional<std::string>& name, const std::optional<std::string>& identifier) {
  if (name && identifier) {
    throw wire::ApiError("ValidationException", "LogGroup name and LogGroup ARN are mutually exclusive parameters.");
  }
  if (identifier) return require_identified_group(call, *identifier);
  if (!name) throw invalid_parameter("One of logGroupName and logGroupIdentifier is required.");
  check_group_name(*name);
  return require_group(call, *name);
}

}  // namespace services::logs
