// SPDX-License-Identifier: Apache-2.0
// DescribeLogGroups and ListLogGroups. Filters that no index serves look at a bounded number of groups per call, and a
// page may then be short, or empty, and still not be the last.
#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "services/page.h"
#include "shapes/logs/log_group.h"
#include "telemetry/logs/batch.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

constexpr std::int32_t kMaxDescribed = 50, kMaxListed = 1000, kDefaultListed = 50;
constexpr std::size_t kMaxScanned = 10000;  // groups per call
constexpr std::int64_t kScanPage = 500;

Page read_group_page(const std::optional<std::int32_t>& limit, const std::optional<std::string>& token,
                     std::int32_t most) {
  return read_page(limit, token,
                   {.most = most,
                    .invalid_size = [](std::int32_t) { return invalid_parameter("The limit is invalid."); },
                    .invalid_token = [](const std::string&) { return invalid_token(); }});
}

struct GroupPage {
  std::vector<Group> groups;
  std::optional<std::string> next;
};

// Groups in order of their names, from `page`, whose names start with `prefix` and that are wanted.
GroupPage scan_groups(Call& call, const Page& page, const std::string& prefix,
                      const std::function<bool(const Group&)>& wanted) {
  GroupPage found;
  std::string after = page.after;
  if (prefix.find('\0') != prefix.npos || after.find('\0') != after.npos) return found;
  for (std::size_t scanned = 0; scanned < kMaxScanned; scanned += kScanPage) {
    const auto names =
        call.tx
            .query("SELECT name FROM logs_groups WHERE account = $1 AND region = $2 AND deleted = 0 AND name > $3"
                   " AND name >= $4 ORDER BY name LIMIT $5",
                   call.caller.account, call.caller.region, after, prefix, std::min(kScanPage, page.size + 1))
            .all([](const store::Row& row) { return row.str(0); });
    for (const std::string& name : names) {
      if (!name.starts_with(prefix)) return found;
      auto group = find_group(call, name);
      if (group && wanted(*group)) {
        if (std::ssize(found.groups) == page.size) {
          found.next = base::to_base64(found.groups.back().name);
          return found;
        }
        found.groups.push_back(std::move(*group));
      }
      after = name;
    }
    if (std::ssize(names) < std::min(kScanPage, page.size + 1)) return found;
  }
  found.next = base::to_base64(after);
  return found;
}

LogGroup describe(Call& call, const Group& group, bool whole) {
  LogGroup shown;
  shown.logGroupName = group.name;
  shown.creationTime = base::to_millis(group.created);
  shown.retentionInDays = group.retention_days;
  shown.metricFilterCount = group.metric_filters;
  shown.arn = group.arn() + ":*";
  shown.logGroupArn = group.arn();
  shown.logGroupClass = group.log_class;
  if (whole) {
    shown.storedBytes = telemetry::stored_bytes(call.tx, group.id);
    shown.deletionProtectionEnabled = group.is_protected;
  }
  return shown;
}

// Accounts can't be linked, so that only the caller's own can be named.
void check_accounts(Call& call, const std::optional<std::vector<std::string>>& accounts) {
  for (const std::string& account : accounts.value_or(std::vector<std::string>())) {
    if (account != call.caller.account) throw unsupported("accountIdentifiers: accounts can't be linked");
  }
}

DescribeLogGroupsResponse describe_identified(Call& call, const DescribeLogGroupsRequest& request) {
  DescribeLogGroupsResponse response;
  response.logGroups.emplace();
  for (const std::string& identifier : *request.logGroupIdentifiers) {
    try {
      const Group group = require_identified_group(call, identifier);
      if (request.logGroupClass && group.log_class != *request.logGroupClass) continue;
      response.logGroups->push_back(describe(call, group, true));
    } catch (const wire::ApiError& error) {
      if (error.code() != "ResourceNotFoundException") throw;
    }
  }
  return response;
}

DescribeLogGroupsResponse describe_log_groups(Call& call, const DescribeLogGroupsRequest& request) {
  check_accounts(call, request.accountIdentifiers);
  if (request.logGroupNamePrefix && request.logGroupNamePattern) {
    throw invalid_parameter("LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.");
  }
  if (request.logGroupIdentifiers && (request.logGroupNamePrefix || request.logGroupNamePattern)) {
    throw invalid_parameter("logGroupIdentifiers and a name prefix or pattern are mutually exclusive parameters.");
  }
  if (request.logGroupIdentifiers) return describe_identified(call, request);
  const Page page = read_group_page(request.limit, request.nextToken, kMaxDescribed);
  const auto wanted = [&](const Group& group) {
    return (!request.logGroupClass || group.log_class == *request.logGroupClass) &&
           (!request.logGroupNamePattern || group.name.find(*request.logGroupNamePattern) != group.name.npos);
  };
  GroupPage found = scan_groups(call, page, request.logGroupNamePrefix.value_or(""), wanted);
  DescribeLogGroupsResponse response;
  response.logGroups.emplace();
  for (const Group& group : found.groups) {
    response.logGroups->push_back(describe(call, group, !request.logGroupNamePattern));
  }
  response.nextToken = std::move(found.next);
  return response;
}

// Up to 5 alternatives "^prefix" or "part", of 3 to 24 characters each.
struct NamePattern {
  std::vector<std::string> prefixes, parts;

  bool matches(const std::string& name) const {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) { return name.starts_with(prefix); }) ||
           std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return name.find(part) != name.npos; });
  }
};

NamePattern parse_name_pattern(std::string_view text) {
  NamePattern pattern;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    std::string one(text.substr(begin, end - begin));
    begin = end + 1;
    const bool prefix = one.starts_with('^');
    if (prefix) one.erase(0, 1);
    if (one.size() < 3 || one.size() > 24 || pattern.prefixes.size() + pattern.parts.size() == 5) {
      throw invalid_parameter("logGroupNamePattern has up to 5 alternatives of 3 to 24 characters.");
    }
    (prefix ? pattern.prefixes : pattern.parts).push_back(std::move(one));
  }
  return pattern;
}

ListLogGroupsResponse list_log_groups(Call& call, const ListLogGroupsRequest& request) {
  check_accounts(call, request.accountIdentifiers);
  if (request.dataSources) throw unsupported("dataSources");
  if (request.fieldIndexNames) throw unsupported("fieldIndexNames");
  if (request.logGroupTags) throw unsupported("logGroupTags");
  const Page page = read_group_page(request.limit.value_or(kDefaultListed), request.nextToken, kMaxListed);
  const auto pattern =
      request.logGroupNamePattern ? std::optional(parse_name_pattern(*request.logGroupNamePattern)) : std::nullopt;
  const auto wanted = [&](const Group& group) {
    return (!request.logGroupClass || group.log_class == *request.logGroupClass) &&
           (!pattern || pattern->matches(group.name));
  };
  GroupPage found = scan_groups(call, page, "", wanted);
  ListLogGroupsResponse response;
  response.logGroups.emplace();
  for (const Group& group : found.groups) response.logGroups->push_back({group.name, group.arn(), group.log_class});
  response.nextToken = std::move(found.next);
  return response;
}

}  // namespace

std::vector<Operation> group_list_operations() {
  return {
      operation<&describe_log_groups>("DescribeLogGroups", Access::Read),
      operation<&list_log_groups>("ListLogGroups", Access::Read),
  };
}

}  // namespace services::logs
