// SPDX-License-Identifier: Apache-2.0
// The language of Logs Insights: `fields @timestamp, status | filter status >= 500 | stats count(*) by bin(5m)`.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "services/logs/insights/query.h"
#include "services/logs/insights/query_reader.h"

namespace services::logs::insights {

// The error is the message of Amazon's MalformedQueryException. `now` is what now() returns.
base::Result<Query> parse_query(std::string_view text, base::Time now);

// For events that do not arrive the newest first: sorts them where their order matters.
void add_time_order(Query& query);

// Slots of names: of fields of events, aliases and columns alike.
class Scope {
 public:
  explicit Scope(Query& query) : query_(query) {}

  std::size_t slot(const std::string& name);
  std::size_t hidden_slot();
  void add_json(const std::string& alias) { json_.insert(alias); }
  bool is_json(const std::string& alias) const { return json_.count(alias) > 0; }
  // A field, or a part of an alias that holds JSON.
  Expression field(const std::string& name);

 private:
  Query& query_;
  std::map<std::string, std::size_t> slots_;
  std::set<std::string> json_;
};

// Expressions, by precedence: or, and, not, comparisons, + -, * / %, ^, minus, the rest.
class ExpressionParser {
 public:
  static constexpr int kMaxDepth = 50;

  ExpressionParser(QueryReader& reader, Scope& scope, base::Time now) : reader_(reader), scope_(scope), now_(now) {}

  // `aggregates` receives the calls of aggregate functions; without it they are errors.
  Expression parse(std::vector<Aggregate>* aggregates = nullptr);

 private:
  Expression disjunction();
  Expression conjunction();
  Expression negation();
  Expression comparison();
  Expression sum();
  Expression product();
  Expression power();
  Expression unary();
  Expression primary();
  Expression call(const std::string& name, std::size_t begin);
  Expression aggregate(const std::string& name, std::size_t begin);
  Expression like(Expression left, bool negated);
  Expression matches(Expression left, bool negated);
  Expression in(Expression left, bool negated);
  Expression binary(Expression::Kind kind, std::string op, Expression left, Expression right);
  void arguments(Expression& call);
  void regex_argument(Expression& call);
  void period(Expression& call);

  QueryReader& reader_;
  Scope& scope_;
  base::Time now_;
  std::vector<Aggregate>* aggregates_ = nullptr;
  int depth_ = 0;
};

}  // namespace services::logs::insights
