// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "services/logs/insights/functions.h"
#include "services/logs/insights/parser.h"

namespace services::logs::insights {
namespace {

struct AggregateName {
  std::string_view name;
  Aggregate::Kind kind;
};
constexpr AggregateName kAggregates[] = {
    {"count", Aggregate::Kind::Count},          {"sum", Aggregate::Kind::Sum},
    {"avg", Aggregate::Kind::Average},          {"min", Aggregate::Kind::Minimum},
    {"max", Aggregate::Kind::Maximum},          {"pct", Aggregate::Kind::Percentile},
    {"stddev", Aggregate::Kind::Deviation},     {"count_distinct", Aggregate::Kind::Distinct},
    {"earliest", Aggregate::Kind::Earliest},    {"latest", Aggregate::Kind::Latest},
    {"sortsfirst", Aggregate::Kind::SortsFirst}, {"sortslast", Aggregate::Kind::SortsLast},
};

const AggregateName* find_aggregate(std::string_view name) {
  const auto found = std::find_if(std::begin(kAggregates), std::end(kAggregates),
                                  [&](const AggregateName& one) { return one.name == name; });
  return found == std::end(kAggregates) ? nullptr : found;
}

struct Unit {
  std::string_view name;
  double milliseconds;  // 0: in months
  int months;
  double most;  // Amazon lowers a larger number to this one; 0: no limit
};
constexpr double kDayMs = 86'400'000;
constexpr Unit kUnits[] = {
    {"ms", 1, 0, 1000},         {"msec", 1, 0, 1000},       {"millisecond", 1, 0, 1000},
    {"s", 1000, 0, 60},         {"sec", 1000, 0, 60},       {"second", 1000, 0, 60},
    {"m", 60'000, 0, 60},       {"min", 60'000, 0, 60},     {"minute", 60'000, 0, 60},
    {"h", 3'600'000, 0, 24},    {"hr", 3'600'000, 0, 24},   {"hour", 3'600'000, 0, 24},
    {"d", kDayMs, 0, 0},        {"day", kDayMs, 0, 0},      {"w", 7 * kDayMs, 0, 0},
    {"week", 7 * kDayMs, 0, 0}, {"mo", 0, 1, 0},            {"mon", 0, 1, 0},
    {"month", 0, 1, 0},         {"q", 0, 3, 0},             {"qtr", 0, 3, 0},
    {"quarter", 0, 3, 0},       {"y", 0, 12, 0},            {"yr", 0, 12, 0},
    {"year", 0, 12, 0},
};
constexpr double kMaxPeriods = 10'000;

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (name == unit.name || (name.size() > 2 && name.back() == 's' && name.substr(0, name.size() - 1) == unit.name)) return &unit;
  }
  return nullptr;
}

}  // namespace

Expression ExpressionParser::parse(std::vector<Aggregate>* aggregates) {
  aggregates_ = aggregates;
  depth_ = 0;
  reader_.peek();
  const std::size_t begin = reader_.at();
  Expression out = disjunction();
  out.text = reader_.from(begin);
  return out;
}

Expression ExpressionParser::binary(Expression::Kind kind, std::string op, Expression left, Expression right) {
  Expression out;
  out.kind = kind;
  out.op = std::move(op);
  out.children.push_back(std::move(left));
  out.children.push_back(std::move(right));
  return out;
}

Expression ExpressionParser::disjunction() {
  if (++depth_ > kMaxDepth) throw QueryError{"The query has too many nested expressions"};
  Expression left = conjunction();
  while (reader_.take_word("or")) left = binary(Expression::Kind::Or, "", std::move(left), conjunction());
  --depth_;
  return left;
}

Expression ExpressionParser::conjunction() {
  Expression left = negation();
  while (reader_.take_word("and")) left = binary(Expression::Kind::And, "", std::move(left), negation());
  return left;
}

Expression ExpressionParser::negation() {
  if (!reader_.take_word("not")) return comparison();
  if (++depth_ > kMaxDepth) throw QueryError{"The query has too many nested expressions"};
  Expression out;
  out.kind = Expression::Kind::Not;
  out.children.push_back(negation());
  --depth_;
  return out;
}

Expression ExpressionParser::comparison() {
  Expression left = sum();
  if (reader_.take("=~")) return matches(std::move(left), false);
  for (const char* op : {"!=", "<=", ">=", "==", "=", "<", ">"}) {
    if (!reader_.take(op)) continue;
    return binary(Expression::Kind::Compare, std::string_view(op) == "==" ? "=" : op, std::move(left), sum());
  }
  const std::size_t before = reader_.at();
  const bool negated = reader_.take_word("not");
  if (reader_.take_word("like")) return like(std::move(left), negated);
  if (reader_.take_word("in")) return in(std::move(left), negated);
  reader_.move_to(before);
  return left;
}

Expression ExpressionParser::like(Expression left, bool negated) {
  if (reader_.peek() == '/') return matches(std::move(left), negated);
  Expression out = binary(Expression::Kind::Like, "", std::move(left), sum());
  out.negated = negated;
  return out;
}

Expression ExpressionParser::matches(Expression left, bool negated) {
  Expression out;
  out.kind = Expression::Kind::Matches;
  out.negated = negated;
  if (reader_.peek() == '/') {
    out.regex = reader_.regex();
  } else {
    const auto text = reader_.quoted();
    if (!text) reader_.fail();
    out.regex = reader_.compile(*text);
  }
  out.children.push_back(std::move(left));
  return out;
}

Expression ExpressionParser::in(Expression left, bool negated) {
  Expression out;
  out.kind = Expression::Kind::In;
  out.negated = negated;
  out.children.push_back(std::move(left));
  const bool brackets = reader_.take("[");
  if (!brackets) reader_.expect("(");
  if (!reader_.take(brackets ? "]" : ")")) {
    do out.children.push_back(sum());
    while (reader_.take(","));
    reader_.expect(brackets ? "]" : ")");
  }
  return out;
}

Expression ExpressionParser::sum() {
  Expression left = product();
  while (true) {
    const char op = reader_.peek();
    if (op != '+' && op != '-') return left;
    reader_.take(std::string_view(&op, 1));
    left = binary(Expression::Kind::Arithmetic, std::string(1, op), std::move(left), product());
  }
}

Expression ExpressionParser::product() {
  Expression left = power();
  while (true) {
    const char op = reader_.peek();
    if (op != '*' && op != '/' && op != '%') return left;
    reader_.take(std::string_view(&op, 1));
    left = binary(Expression::Kind::Arithmetic, std::string(1, op), std::move(left), power());
  }
}

Expression ExpressionParser::power() {
  Expression left = unary();
  while (reader_.take("^")) left = binary(Expression::Kind::Arithmetic, "^", std::move(left), unary());
  return left;
}

Expression ExpressionParser::unary() {
  int minus = 0;
  while (reader_.take("-")) ++minus;
  Expression inner = primary();
  if (minus % 2 == 0) return inner;
  Expression out;
  out.kind = Expression::Kind::Negate;
  out.children.push_back(std::move(inner));
  return out;
}

Expression ExpressionParser::primary() {
  if (reader_.take("(")) {
    Expression inner = disjunction();
    reader_.expect(")");
    return inner;
  }
  Expression out;
  if (const auto text = reader_.quoted()) {
    out.literal = Value::of(*text);
    return out;
  }
  if (const auto number = reader_.number()) {
    out.literal = Value::of(*number);
    return out;
  }
  const char first = reader_.peek();
  const std::size_t begin = reader_.at();
  for (const char* keyword : {"as", "by", "and", "or", "in", "like"}) {
    if (first != '`' && reader_.sees_word(keyword)) reader_.fail();
  }
  const std::string name = reader_.required_name();
  if (first != '`' && reader_.peek() == '(') return call(base::to_lower(name), begin);
  if (first != '`' && (base::equals_ignoring_case(name, "true") || base::equals_ignoring_case(name, "false"))) {
    out.literal = Value::of(base::equals_ignoring_case(name, "true"));
    return out;
  }
  return scope_.field(name);
}

Expression ExpressionParser::call(const std::string& name, std::size_t begin) {
  if (find_aggregate(name)) return aggregate(name, begin);
  Expression out;
  if (name == "now") {
    reader_.expect("(");
    reader_.expect(")");
    out.literal = Value::of(static_cast<double>(base::to_seconds(now_)));
    return out;
  }
  const FunctionRow* row = find_function(name);
  if (!row) reader_.fail_at(begin);
  reader_.expect("(");
  out.kind = Expression::Kind::Call;
  out.function = row->function;
  if (name == "bin") {
    out.children.push_back(scope_.field("@timestamp"));
    period(out);
  } else if (name == "datefloor" || name == "dateceil") {
    out.children.push_back(disjunction());
    reader_.expect(",");
    period(out);
  } else if (name == "regexreplace") {
    regex_argument(out);
  } else {
    arguments(out);
    if (name == "messagesize" && out.children.empty()) out.children.push_back(scope_.field("@message"));
  }
  reader_.expect(")");
  if (out.children.size() < row->least || out.children.size() > row->most) reader_.fail_at(begin);
  return out;
}

void ExpressionParser::arguments(Expression& call) {
  if (reader_.peek() == ')') return;
  do call.children.push_back(disjunction());
  while (reader_.take(","));
}

// regexReplace(text, expression, with): the expression is part of the query.
void ExpressionParser::regex_argument(Expression& call) {
  call.children.push_back(disjunction());
  reader_.expect(",");
  Expression source;
  call.regex = reader_.regex();
  if (!call.regex) {
    const auto text = reader_.quoted();
    if (!text) reader_.fail();
    call.regex = reader_.compile(*text);
  }
  call.children.push_back(std::move(source));
  reader_.expect(",");
  call.children.push_back(disjunction());
}

void ExpressionParser::period(Expression& call) {
  const std::size_t begin = reader_.at();
  const auto number = reader_.number();
  const Unit* unit = number ? find_unit(reader_.keyword()) : nullptr;
  if (!unit) reader_.fail_at(begin);
  double count = unit->most > 0 ? std::min(*number, unit->most) : *number;
  if (count < 1 || count > kMaxPeriods || count != static_cast<double>(static_cast<int>(count))) reader_.fail_at(begin);
  call.period_ms = count * unit->milliseconds;
  call.period_months = static_cast<int>(count) * unit->months;
}

Expression ExpressionParser::aggregate(const std::string& name, std::size_t begin) {
  if (!aggregates_) reader_.fail_at(begin);
  std::vector<Aggregate>* const aggregates = aggregates_;
  Aggregate out;
  out.kind = find_aggregate(name)->kind;
  reader_.expect("(");
  aggregates_ = nullptr;  // they do not nest
  if (out.kind == Aggregate::Kind::Count && (reader_.take("*") || reader_.peek() == ')')) {
    // counts rows
  } else {
    out.argument = disjunction();
    if (out.kind == Aggregate::Kind::Percentile) {
      reader_.expect(",");
      const auto percentile = reader_.number();
      if (!percentile || *percentile > 100) reader_.fail();
      out.percentile = *percentile;
    }
  }
  reader_.expect(")");
  aggregates_ = aggregates;
  out.slot = scope_.hidden_slot();
  Expression result;
  result.kind = Expression::Kind::Slot;
  result.slot = out.slot;
  aggregates->push_back(std::move(out));
  return result;
}

}  // namespace services::logs::insights
