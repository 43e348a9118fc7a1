// SPDX-License-Identifier: Apache-2.0
// DescribeAlarmHistory, and the end of old history.
#include <charconv>
#include <limits>

#include "base/bytes.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_validation.h"
#include "services/cloudwatch/errors.h"
#include "shapes/cloudwatch/alarm_history.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

constexpr std::int32_t kDefaultHistoryItems = 100;
// Rows that one page looks at, for filters that few of them pass.
constexpr std::int64_t kMaxScannedHistory = 5000;
constexpr base::Duration kHistoryKept = std::chrono::hours(30 * 24);
constexpr std::int64_t kHistoryDeletedPerTurn = 2000;
constexpr base::Duration kHistoryTurn = std::chrono::hours(1);

// The place in the history that a page begins behind.
struct HistoryPosition {
  std::int64_t at = 0, id = 0;
};

struct HistoryRow {
  HistoryPosition position;
  AlarmHistoryItem item;
};

HistoryPosition position_of(const std::string& token) {
  const auto text = base::from_base64(token);
  HistoryPosition position;
  if (text) {
    const std::size_t comma = text->find(',');
    if (comma != text->npos) {
      const char* end = text->data() + text->size();
      const auto first = std::from_chars(text->data(), text->data() + comma, position.at);
      const auto second = std::from_chars(text->data() + comma + 1, end, position.id);
      if (first.ec == std::errc() && second.ec == std::errc() && second.ptr == end) return position;
    }
  }
  throw wire::ApiError("InvalidNextToken", "The token is invalid.");
}

std::string token_of(const HistoryPosition& position) {
  return base::to_base64(std::to_string(position.at) + "," + std::to_string(position.id));
}

HistoryRow read_history(const store::Row& row) {
  HistoryRow out;
  out.position = {row.integer(0), row.integer(1)};
  out.item.AlarmName = row.str(2);
  out.item.AlarmType = row.boolean(3) ? "CompositeAlarm" : "MetricAlarm";
  out.item.Timestamp = row.time(0);
  out.item.HistoryItemType = row.str(4);
  out.item.HistorySummary = row.str(5);
  out.item.HistoryData = row.str(6);
  return out;
}

bool passes(const DescribeAlarmHistoryInput& request, const AlarmHistoryItem& item) {
  if (request.HistoryItemType && item.HistoryItemType != request.HistoryItemType) return false;
  // As in DescribeAlarms, metric alarms unless other types are named.
  if (!request.AlarmTypes || request.AlarmTypes->empty()) return item.AlarmType == "MetricAlarm";
  for (const std::string& type : *request.AlarmTypes) {
    if (item.AlarmType == type) return true;
  }
  return false;
}

std::vector<HistoryRow> read_slice(Call& call, const DescribeAlarmHistoryInput& request, const HistoryPosition& after,
                                   bool ascending, std::int64_t most) {
  const std::string sql =
      std::string("SELECT at, id, name, composite, type, summary, data FROM cloudwatch_alarm_history "
                  "WHERE account = $1 AND region = $2 AND at >= $3 AND at < $4 AND (at ") +
      (ascending ? ">" : "<") + " $5 OR (at = $5 AND id " + (ascending ? ">" : "<") + " $6)) " +
      (request.AlarmName ? "AND name = $8 " : "") + "ORDER BY " +
      (ascending ? "at, id" : "at DESC, id DESC") + " LIMIT $7";
  const std::int64_t start = request.StartDate ? base::to_millis(*request.StartDate) : 0;
  const std::int64_t end = request.EndDate ? base::to_millis(*request.EndDate) : std::numeric_limits<std::int64_t>::max();
  std::vector<store::Param> params{std::string_view(call.caller.account), std::string_view(call.caller.region), start,
                                   end, after.at, after.id, most};
  if (request.AlarmName) params.emplace_back(std::string_view(*request.AlarmName));
  std::vector<HistoryRow> rows;
  call.tx.run(sql, params, [&](const store::Row& row) { rows.push_back(read_history(row)); });
  return rows;
}

DescribeAlarmHistoryOutput describe_alarm_history(Call& call, const DescribeAlarmHistoryInput& request) {
  if (request.AlarmContributorId) throw unsupported_parameter("AlarmContributorId");
  check_storable(request.AlarmName.value_or(""), "AlarmName");
  const bool ascending = request.ScanBy == "TimestampAscending";
  const auto size = static_cast<std::size_t>(request.MaxRecords.value_or(kDefaultHistoryItems));
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  HistoryPosition after = ascending ? HistoryPosition{-1, -1} : HistoryPosition{kLast, kLast};
  if (request.NextToken && !request.NextToken->empty()) after = position_of(*request.NextToken);
  DescribeAlarmHistoryOutput output{.AlarmHistoryItems = std::vector<AlarmHistoryItem>()};
  constexpr std::int64_t kSlice = 200;
  for (std::int64_t scanned = 0; scanned < kMaxScannedHistory; scanned += kSlice) {
    auto rows = read_slice(call, request, after, ascending, kSlice);
    for (HistoryRow& row : rows) {
      if (passes(request, row.item)) {
        if (output.AlarmHistoryItems->size() == size) {
          output.NextToken = token_of(after);
          return output;
        }
        output.AlarmHistoryItems->push_back(std::move(row.item));
      }
      after = row.position;
    }
    if (rows.size() < static_cast<std::size_t>(kSlice)) return output;
  }
  output.NextToken = token_of(after);
  return output;
}

Decision look_at_history(Call& call) {
  const base::Time oldest = call.now - kHistoryKept;
  const auto old = call.tx.query("SELECT 1 FROM cloudwatch_alarm_history WHERE at < $1 LIMIT 1", oldest).integer();
  Decision decision{.apply = {}, .next = call.now + kHistoryTurn};
  if (old == 0) return decision;
  decision.next = call.now;
  decision.apply = [oldest](Call& write) {
    write.tx.exec("DELETE FROM cloudwatch_alarm_history WHERE id IN "
                  "(SELECT id FROM cloudwatch_alarm_history WHERE at < $1 ORDER BY at LIMIT $2)",
                  oldest, kHistoryDeletedPerTurn);
  };
  return decision;
}

}  // namespace

std::vector<Operation> alarm_history_operations() {
  return {operation<&describe_alarm_history>("DescribeAlarmHistory", Access::Read)};
}

Loop alarm_history_loop() {
  return {.name = "cloudwatch-alarm-history", .topic = "cloudwatch/alarm-history", .look = &look_at_history};
}

}  // namespace services::cloudwatch
