// SPDX-License-Identifier: Apache-2.0
#include "services/logs/queries/query_rows.h"

#include "base/utf8.h"
#include "services/logs/patterns/json_tape.h"
#include "wire/json.h"

namespace services::logs {
namespace {

constexpr char kQueryTables[] = R"sql(
CREATE TABLE logs_queries (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  status TEXT NOT NULL,                -- Amazon's, or Expired: its results are being deleted
  query TEXT NOT NULL,
  groups TEXT NOT NULL,                -- a JSON object: names by ids
  first_at INTEGER NOT NULL,           -- of the searched events, both inclusive
  last_at INTEGER NOT NULL,
  row_limit INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  matched REAL NOT NULL,
  scanned REAL NOT NULL,
  bytes REAL NOT NULL,
  result_rows INTEGER NOT NULL
);
CREATE INDEX logs_queries_account ON logs_queries (account, region, created_at, id);
CREATE INDEX logs_queries_active ON logs_queries (id) WHERE status IN ('Scheduled', 'Running');
CREATE INDEX logs_queries_created ON logs_queries (created_at);
CREATE INDEX logs_queries_expired ON logs_queries (id) WHERE status = 'Expired';

CREATE TABLE logs_query_pages (
  query TEXT NOT NULL,
  page INTEGER NOT NULL,
  rows BLOB NOT NULL,                  -- JSON
  PRIMARY KEY (query, page)
) WITHOUT ROWID;

CREATE TABLE logs_query_definitions (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  groups TEXT NOT NULL,                -- a JSON list of names; '' for none
  client_token TEXT,
  modified_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX logs_query_definitions_name ON logs_query_definitions (account, region, name, id);
CREATE UNIQUE INDEX logs_query_definitions_token ON logs_query_definitions (account, region, client_token)
  WHERE client_token IS NOT NULL;
)sql";

constexpr char kQueryColumns[] =
    "SELECT id, account, region, status, query, groups, first_at, last_at, row_limit, created_at, ended_at, matched,"
    " scanned, bytes, result_rows FROM logs_queries ";

std::string groups_json(const std::vector<QueryGroup>& groups) {
  std::string out = "{";
  for (const QueryGroup& group : groups) {
    if (out.size() > 1) out += ',';
    out += "\"" + std::to_string(group.id) + "\":";
    wire::write_json_string(group.name, out);
  }
  return out + "}";
}

std::vector<QueryGroup> parse_groups(std::string_view text) {
  std::vector<QueryGroup> groups;
  JsonTape tape;
  if (!tape.parse_object(text)) return groups;
  tape.each_child(0, [&](std::uint32_t child) {
    groups.push_back({std::stoll(std::string(tape.node(child).key)), std::string(tape.node(child).text)});
  });
  return groups;
}

QueryRow read_query(const store::Row& row) {
  QueryRow query;
  query.id = row.str(0);
  query.account = row.str(1);
  query.region = row.str(2);
  query.status = row.str(3);
  query.text = row.str(4);
  query.groups = parse_groups(row.text(5));
  query.first_ms = row.integer(6);
  query.last_ms = row.integer(7);
  query.row_limit = row.integer(8);
  query.created = row.time(9);
  query.ended = row.maybe_time(10);
  query.counts = {row.real(11), row.real(12), row.real(13)};
  query.result_rows = row.integer(14);
  return query;
}

// Functions may cut a text inside a character.
std::string valid_text(const std::string& text) { return base::is_utf8(text) ? text : base::to_printable(text); }

}  // namespace

std::string query_tables() { return kQueryTables; }

void insert(store::Tx& tx, const QueryRow& query) {
  tx.exec(
      "INSERT INTO logs_queries (id, account, region, status, query, groups, first_at, last_at, row_limit, created_at,"
      " matched, scanned, bytes, result_rows) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0, 0)",
      query.id, query.account, query.region, query.status, query.text, groups_json(query.groups), query.first_ms,
      query.last_ms, query.row_limit, query.created);
  // One more than are kept: the oldest one goes.
  tx.exec("UPDATE logs_queries SET status = 'Expired' WHERE id IN (SELECT id FROM logs_queries WHERE account = $1"
          " AND region = $2 AND status <> 'Expired' ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $3)",
          query.account, query.region, kMaxKeptQueries);
}

std::optional<QueryRow> load_query(store::Tx& tx, const std::string& id) {
  static const std::string sql = std::string(kQueryColumns) + "WHERE id = $1 AND status <> 'Expired'";
  return tx.query(sql, id).one(read_query);
}

std::vector<QueryRow> load_active_queries(store::Tx& tx) {
  static const std::string sql =
      std::string(kQueryColumns) + "WHERE status IN ('Scheduled', 'Running') ORDER BY id LIMIT 1000";
  return tx.query(sql).all(read_query);
}

std::vector<QueryRow> load_queries(store::Tx& tx, const std::string& account, const std::string& region) {
  static const std::string sql = std::string(kQueryColumns) +
                                 "WHERE account = $1 AND region = $2 AND status <> 'Expired'"
                                 " ORDER BY created_at DESC, id DESC LIMIT $3";
  return tx.query(sql, account, region, kMaxKeptQueries).all(read_query);
}

std::int64_t count_active_queries(store::Tx& tx, const std::string& account, const std::string& region) {
  return tx.query("SELECT count(*) FROM logs_queries WHERE status IN ('Scheduled', 'Running') AND account = $1"
                  " AND region = $2", account, region).integer();
}

void end_query(store::Tx& tx, const std::string& id, std::string_view status, base::Time now, const QueryCounts& counts,
               std::int64_t result_rows) {
  tx.exec("UPDATE logs_queries SET status = $2, ended_at = $3, matched = $4, scanned = $5, bytes = $6, result_rows = $7"
          " WHERE id = $1 AND status IN ('Scheduled', 'Running')",
          id, status, now, counts.matched, counts.scanned, counts.bytes, result_rows);
}

std::string to_page(const std::vector<insights::ResultRow>& rows, std::size_t begin, std::size_t end) {
  std::string out = "[";
  for (std::size_t i = begin; i < end; ++i) {
    out += i == begin ? "[" : ",[";
    bool first = true;
    for (const auto& [field, value] : rows[i]) {
      if (!first) out += ',';
      first = false;
      wire::write_json_string(valid_text(field), out);
      out += ',';
      wire::write_json_string(valid_text(value), out);
    }
    out += ']';
  }
  return out + "]";
}

std::vector<insights::ResultRow> from_page(std::string_view page) {
  std::vector<insights::ResultRow> rows;
  JsonTape tape;
  if (!tape.parse(page)) return rows;
  tape.each_child(0, [&](std::uint32_t row) {
    auto& out = rows.emplace_back();
    std::optional<std::string> field;
    tape.each_child(row, [&](std::uint32_t part) {
      std::string text(tape.node(part).text);
      if (field) {
        out.emplace_back(std::move(*field), std::move(text));
        field.reset();
      } else {
        field = std::move(text);
      }
    });
  });
  return rows;
}

void save_page(store::Tx& tx, const std::string& query, std::int64_t number, std::string_view page) {
  tx.exec("INSERT INTO logs_query_pages (query, page, rows) VALUES ($1, $2, $3)"
          " ON CONFLICT (query, page) DO UPDATE SET rows = excluded.rows",
          query, number, store::BlobView{page});
}

std::optional<std::string> load_page(store::Tx& tx, const std::string& query, std::int64_t number) {
  return tx.query("SELECT rows FROM logs_query_pages WHERE query = $1 AND page = $2", query, number)
      .one([](const store::Row& row) { return row.str(0); });
}

ExpiredQuery find_expired_query(store::Tx& tx, base::Time now) {
  ExpiredQuery out;
  out.id = tx.query("SELECT id FROM logs_queries WHERE status = 'Expired' ORDER BY id LIMIT 1").one([](const store::Row& row) {
    return row.str(0);
  });
  if (out.id) return out;
  tx.query("SELECT id, created_at FROM logs_queries ORDER BY created_at LIMIT 1").each([&](const store::Row& row) {
    const base::Time expires = row.time(1) + kQueryResultsKept;
    if (expires <= now) {
      out.id = row.str(0);
    } else {
      out.next = expires;
    }
  });
  return out;
}

void delete_query(store::Tx& tx, const std::string& id) {
  tx.exec("DELETE FROM logs_query_pages WHERE query = $1", id);
  tx.exec("DELETE FROM logs_queries WHERE id = $1", id);
}

}  // namespace services::logs
