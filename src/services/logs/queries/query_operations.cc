// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "base/random.h"
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/insights/parser.h"
#include "services/logs/operations.h"
#include "services/logs/queries/query_progress.h"
#include "services/logs/queries/query_rows.h"
#include "shapes/logs/query.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

constexpr std::size_t kMaxQueryGroups = 50;
constexpr std::int32_t kDefaultRows = 10'000;
constexpr std::int64_t kMaxRowsOfAnswer = 10'000;
constexpr std::size_t kMaxBytesOfAnswer = 8u << 20;
constexpr std::int32_t kMaxListedQueries = 1000;
// Larger "seconds" are milliseconds, which some clients send by mistake.
constexpr std::int64_t kLargestSeconds = 100'000'000'000;

wire::ApiError malformed(std::string message) { return wire::ApiError("MalformedQueryException", std::move(message)); }

void check_language(const std::optional<std::string>& language) {
  if (language && *language != "CWLI") throw unsupported("the query language " + *language);
}

std::vector<Group> groups_of(Call& call, const StartQueryRequest& request) {
  const int given = request.logGroupName.has_value() + request.logGroupNames.has_value() + request.logGroupIdentifiers.has_value();
  if (given != 1) {
    throw invalid_parameter("Exactly one of logGroupName, logGroupNames and logGroupIdentifiers must be specified.");
  }
  std::vector<std::string> names;
  if (request.logGroupName) names = {*request.logGroupName};
  if (request.logGroupNames) names = *request.logGroupNames;
  if (request.logGroupIdentifiers) names = *request.logGroupIdentifiers;
  if (names.empty() || names.size() > kMaxQueryGroups) throw invalid_parameter("A query has 1 to 50 log groups.");
  std::vector<Group> groups;
  for (const std::string& name : names) {
    try {
      Group group = request.logGroupIdentifiers ? require_identified_group(call, name) : require_group(call, name);
      const auto same = [&](const Group& other) { return other.id == group.id; };
      if (std::none_of(groups.begin(), groups.end(), same)) groups.push_back(std::move(group));
    } catch (const wire::ApiError& error) {
      if (error.code() != "ResourceNotFoundException") throw;
      throw wire::ApiError("ResourceNotFoundException",
                           "Log group '" + name + "' does not exist for account ID '" + call.caller.account +
                               "' (Service: AWSLogs; Status Code: 400; Error Code: ResourceNotFoundException; Request ID: " +
                               call.caller.request_id + "; Proxy: null)");
    }
  }
  return groups;
}

std::int64_t to_query_ms(std::int64_t seconds) { return seconds > kLargestSeconds ? seconds : seconds * 1000; }

void check_range(Call& call, const QueryRow& query, const std::vector<Group>& groups) {
  if (query.first_ms > query.last_ms) throw invalid_parameter("startTime must not be after endTime.");
  const auto too_early = [&](const Group& group) {
    return query.last_ms < base::to_millis(group.created) || query.last_ms < group.expired_before_ms(call.now);
  };
  if (std::all_of(groups.begin(), groups.end(), too_early)) {
    throw malformed("Query's end date and time is either before the log groups creation time or exceeds the log groups log "
                    "retention settings");
  }
}

StartQueryResponse start_query(Call& call, const StartQueryRequest& request) {
  check_language(request.queryLanguage);
  const std::vector<Group> groups = groups_of(call, request);
  if (request.queryString.find('\0') != std::string::npos) throw malformed("unexpected symbol found \\u0000");
  if (const auto parsed = insights::parse_query(request.queryString, call.now); !parsed) throw malformed(parsed.error());
  QueryRow query;
  query.id = base::random_uuid();
  query.account = call.caller.account;
  query.region = call.caller.region;
  query.status = "Scheduled";
  query.text = request.queryString;
  for (const Group& group : groups) query.groups.push_back({group.id, group.name});
  query.first_ms = to_query_ms(request.startTime);
  query.last_ms = to_query_ms(request.endTime) + (request.endTime > kLargestSeconds ? 0 : 999);
  query.row_limit = request.limit.value_or(kDefaultRows);
  query.created = call.now;
  check_range(call, query, groups);
  if (count_active_queries(call.tx, query.account, query.region) >= kMaxActiveQueries) {
    throw wire::ApiError("LimitExceededException", "Account maximum query concurrency limit of [" +
                                                       std::to_string(kMaxActiveQueries) + "] reached.");
  }
  insert(call.tx, query);
  call.wake(kQueryTopic);
  return {.queryId = query.id};
}

QueryRow require_query(Call& call, const std::string& id) {
  std::optional<QueryRow> query;
  if (id.find('\0') == std::string::npos) query = load_query(call.tx, id);
  if (!query || query->account != call.caller.account || query->region != call.caller.region) {
    throw wire::ApiError("ResourceNotFoundException", "The specified query does not exist.");
  }
  return std::move(*query);
}

std::size_t parse_offset(const std::optional<std::string>& token) {
  std::size_t offset = 0;
  if (!token) return offset;
  const auto [end, error] = std::from_chars(token->data(), token->data() + token->size(), offset);
  if (error != std::errc() || end != token->data() + token->size()) throw invalid_token();
  return offset;
}

std::vector<ResultField> to_fields(const insights::ResultRow& row) {
  std::vector<ResultField> fields;
  for (const auto& [field, value] : row) fields.push_back({.field = field, .value = value});
  return fields;
}

// Rows from `offset` on, up to the limits of an answer.
void add_rows(Call& call, const QueryRow& query, std::size_t offset, std::int64_t most, GetQueryResultsResponse& response) {
  std::size_t bytes = 0;
  const auto total = static_cast<std::size_t>(query.result_rows);
  while (offset < total && std::ssize(*response.results) < most && bytes < kMaxBytesOfAnswer) {
    const auto page = load_page(call.tx, query.id, static_cast<std::int64_t>(offset / kRowsOfPage));
    if (!page) return;
    bytes += page->size();
    const auto rows = from_page(*page);
    for (std::size_t i = offset % kRowsOfPage; i < rows.size() && std::ssize(*response.results) < most; ++i, ++offset) {
      response.results->push_back(to_fields(rows[i]));
    }
  }
  if (offset < total) response.nextToken = std::to_string(offset);
}

GetQueryResultsResponse get_query_results(Call& call, const GetQueryResultsRequest& request) {
  const QueryRow query = require_query(call, request.queryId);
  GetQueryResultsResponse response;
  response.queryLanguage = "CWLI";
  response.status = query.status;
  response.results.emplace();
  QueryCounts counts = query.counts;
  const std::size_t offset = parse_offset(request.nextToken);
  if (query.is_active()) {
    if (const auto progress = call.local<QueryProgress>().get(query.id)) {
      counts = progress->counts;
      for (const auto& row : progress->rows) response.results->push_back(to_fields(row));
    }
  } else {
    const std::int64_t most = request.maxItems.value_or(0) > 0 ? *request.maxItems : kMaxRowsOfAnswer;
    add_rows(call, query, offset, most, response);
  }
  QueryStatistics& statistics = response.statistics.emplace();
  statistics.recordsMatched = counts.matched;
  statistics.recordsScanned = counts.scanned;
  statistics.bytesScanned = counts.bytes;
  statistics.estimatedRecordsSkipped = 0;
  statistics.estimatedBytesSkipped = 0;
  statistics.logGroupsScanned = static_cast<double>(query.groups.size());
  return response;
}

StopQueryResponse stop_query(Call& call, const StopQueryRequest& request) {
  const QueryRow query = require_query(call, request.queryId);
  if (!query.is_active()) throw invalid_parameter("Query has already ended with status: " + query.status);
  const auto progress = call.local<QueryProgress>().get(query.id);
  end_query(call.tx, query.id, "Cancelled", call.now, progress ? progress->counts : QueryCounts{}, 0);
  call.wake(kQueryTopic);
  return {.success = true};
}

// The query as Amazon shows it, with what was given beside its text.
std::string full_text(const QueryRow& query) {
  std::string text = "SOURCE ";
  for (const QueryGroup& group : query.groups) {
    if (&group != &query.groups.front()) text += ", ";
    text += "\"" + group.name + "\"";
  }
  return text + " START=" + std::to_string(query.first_ms) + " END=" + std::to_string(query.last_ms) + " | " + query.text;
}

DescribeQueriesResponse describe_queries(Call& call, const DescribeQueriesRequest& request) {
  const std::size_t offset = parse_offset(request.nextToken);
  const auto most = static_cast<std::size_t>(request.maxResults.value_or(kMaxListedQueries));
  DescribeQueriesResponse response;
  response.queries.emplace();
  std::size_t position = 0;
  for (const QueryRow& query : load_queries(call.tx, call.caller.account, call.caller.region)) {
    const auto named = [&](const QueryGroup& group) { return group.name == request.logGroupName; };
    if (request.logGroupName && std::none_of(query.groups.begin(), query.groups.end(), named)) continue;
    if (request.status && query.status != *request.status) continue;
    if (request.queryLanguage && *request.queryLanguage != "CWLI") continue;
    if (position++ < offset) continue;
    if (response.queries->size() == most) {
      response.nextToken = std::to_string(position - 1);
      break;
    }
    QueryInfo& info = response.queries->emplace_back();
    info.queryLanguage = "CWLI";
    info.queryId = query.id;
    info.queryString = full_text(query);
    info.status = query.status;
    info.createTime = base::to_millis(query.created);
    info.logGroupName = query.groups.front().name;
    if (!query.ended) continue;
    info.queryDuration = (*query.ended - query.created).count();
    info.bytesScanned = query.counts.bytes;
  }
  return response;
}

ListLogGroupsForQueryResponse list_log_groups_for_query(Call& call, const ListLogGroupsForQueryRequest& request) {
  const QueryRow query = require_query(call, request.queryId);
  ListLogGroupsForQueryResponse response;
  response.logGroupIdentifiers.emplace();
  for (std::size_t i = parse_offset(request.nextToken); i < query.groups.size(); ++i) {
    response.logGroupIdentifiers->push_back(query.groups[i].name);
  }
  return response;
}

}  // namespace

std::vector<Operation> query_operations() {
  return {
      operation<&start_query>("StartQuery", Access::Write),
      operation<&get_query_results>("GetQueryResults", Access::Read),
      operation<&stop_query>("StopQuery", Access::Write),
      operation<&describe_queries>("DescribeQueries", Access::Read),
      operation<&list_log_groups_for_query>("ListLogGroupsForQuery", Access::Read),
  };
}

}  // namespace services::logs
