// SPDX-License-Identifier: Apache-2.0
// The rows of Insights' queries and of their results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/logs/insights/execution.h"
#include "store/store.h"

namespace services::logs {

inline constexpr std::int64_t kMaxActiveQueries = 100;  // of an account and region
inline constexpr std::int64_t kMaxKeptQueries = 1000;   // of an account and region: older results are deleted early
inline constexpr base::Duration kQueryResultsKept = std::chrono::hours(7 * 24);
inline constexpr base::Duration kQueryTimeout = std::chrono::minutes(60);
inline constexpr std::size_t kRowsOfPage = 1000;

// Woken when a query is started or stopped.
inline constexpr char kQueryTopic[] = "logs/queries";

// The SQL of their tables.
std::string query_tables();

struct QueryGroup {
  std::int64_t id = 0;
  std::string name;
};

struct QueryCounts {
  double matched = 0, scanned = 0, bytes = 0;
};

struct QueryRow {
  std::string id, account, region;
  std::string status;  // Amazon's
  std::string text;
  std::vector<QueryGroup> groups;
  std::int64_t first_ms = 0, last_ms = 0;  // both inclusive
  std::int64_t row_limit = 0;
  base::Time created = {};
  std::optional<base::Time> ended = {};
  QueryCounts counts = {};
  std::int64_t result_rows = 0;

  bool is_active() const { return status == "Scheduled" || status == "Running"; }
};

void insert(store::Tx& tx, const QueryRow& query);
std::optional<QueryRow> load_query(store::Tx& tx, const std::string& id);
// In order of their ids.
std::vector<QueryRow> load_active_queries(store::Tx& tx);
// The newest first.
std::vector<QueryRow> load_queries(store::Tx& tx, const std::string& account, const std::string& region);
std::int64_t count_active_queries(store::Tx& tx, const std::string& account, const std::string& region);

// Changes nothing where the query has ended meanwhile.
void end_query(store::Tx& tx, const std::string& id, std::string_view status, base::Time now, const QueryCounts& counts,
               std::int64_t result_rows);

// Results: pages of kRowsOfPage rows, as JSON.
std::string to_page(const std::vector<insights::ResultRow>& rows, std::size_t begin, std::size_t end);
std::vector<insights::ResultRow> from_page(std::string_view page);
void save_page(store::Tx& tx, const std::string& query, std::int64_t number, std::string_view page);
std::optional<std::string> load_page(store::Tx& tx, const std::string& query, std::int64_t number);

// A query whose results are to be deleted, and when the next one is due.
struct ExpiredQuery {
  std::optional<std::string> id;
  std::optional<base::Time> next;
};
ExpiredQuery find_expired_query(store::Tx& tx, base::Time now);
void delete_query(store::Tx& tx, const std::string& id);

}  // namespace services::logs
