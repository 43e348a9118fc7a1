// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/parser.h"

#include <algorithm>
#include <utility>

#include "services/logs/insights/functions.h"

namespace services::logs::insights {
namespace {

constexpr std::size_t kMaxLimit = 100'000;
constexpr std::size_t kMaxStats = 2;
constexpr std::string_view kUnsupported[] = {
    "anomaly", "diff", "filterindex", "join", "lookup", "pattern", "source", "unmask", "unnest", "append",
    "eval", "expand", "fillnull", "flatten", "makemv", "mvexpand", "rename", "streamstats", "eventstats", "timechart", "top", "rare"};

class QueryParser {
 public:
  QueryParser(std::string_view text, base::Time now) : reader_(text), scope_(query_), expressions_(reader_, scope_, now) {}

  Query parse() {
    scope_.slot("@ptr");  // slot 0, which results show beside their columns
    do command();
    while (reader_.take("|"));
    if (!reader_.at_end()) reader_.fail();
    if (!chosen_) {
      const std::vector<Column> parsed = std::exchange(query_.columns, {});
      for (const char* name : {"@timestamp", "@message"}) add_column(name, scope_.slot(name));
      for (const Column& column : parsed) add_column(column.name, column.slot);
    }
    return std::move(query_);
  }

 private:
  void command() {
    reader_.peek();
    const std::size_t begin = reader_.at();
    const std::string word = reader_.keyword();
    if (deduplicated_ && word != "limit") reader_.fail_at(begin);
    if (word == "fields") {
      fields(false);
    } else if (word == "display") {
      fields(true);
    } else if (word == "filter" || word == "where") {
      Step step{.kind = Step::Kind::Filter};
      step.condition = expressions_.parse();
      add(std::move(step));
    } else if (word == "parse") {
      parse_command();
    } else if (word == "stats") {
      stats(begin);
    } else if (word == "sort" || word == "order") {
      reader_.take_word("by");
      sort();
    } else if (word == "limit" || word == "head") {
      limit();
    } else if (word == "dedup") {
      dedup();
    } else if (std::find(std::begin(kUnsupported), std::end(kUnsupported), word) != std::end(kUnsupported)) {
      throw QueryError{"Stoker does not support the command '" + word + "' of Logs Insights"};
    } else {
      reader_.fail_at(begin);
    }
  }

  void add(Step step) { query_.steps.push_back(std::move(step)); }

  void add_column(const std::string& name, std::size_t slot) {
    const auto same = [&](const Column& column) { return column.name == name; };
    if (std::none_of(query_.columns.begin(), query_.columns.end(), same)) query_.columns.push_back({name, slot});
  }

  struct Named {
    std::string name;
    Expression value;
  };

  Named named_expression(std::vector<Aggregate>* aggregates = nullptr) {
    Named out;
    out.value = expressions_.parse(aggregates);
    const bool plain = out.value.kind == Expression::Kind::Slot && !query_.names[out.value.slot].empty();
    out.name = plain ? query_.names[out.value.slot] : out.value.text;
    if (reader_.take_word("as")) out.name = reader_.required_name();
    return out;
  }

  static bool makes_json(const Expression& value) {
    static const Function parse = find_function("jsonparse")->function, split = find_function("split")->function;
    return value.kind == Expression::Kind::Call && (value.function == parse || value.function == split);
  }

  void fields(bool display) {
    if (display) query_.columns.clear();
    chosen_ = true;
    Step step{.kind = Step::Kind::Compute};
    std::vector<std::string> json;
    do {
      Named one = named_expression();
      const std::size_t slot = scope_.slot(one.name);
      if (display || !displayed_) add_column(one.name, slot);
      if (makes_json(one.value)) json.push_back(one.name);
      const bool itself = one.value.kind == Expression::Kind::Slot && one.value.slot == slot;
      if (!itself) step.assignments.push_back({slot, std::move(one.value)});
    } while (reader_.take(","));
    for (const std::string& name : json) scope_.add_json(name);
    if (!step.assignments.empty()) add(std::move(step));
    displayed_ = displayed_ || display;
  }

  // Slots of a list of names.
  std::vector<std::size_t> names() {
    std::vector<std::size_t> out;
    do out.push_back(scope_.slot(reader_.required_name()));
    while (reader_.take(","));
    return out;
  }

  void parse_command() {
    Step step{.kind = Step::Kind::Parse};
    const char next = reader_.peek();
    step.source = next == '"' || next == '\'' || next == '/' ? scope_.field("@message")
                                                               : scope_.field(reader_.required_name());
    if (reader_.take_word("logfmt")) {
      step.kind = Step::Kind::Logfmt;
      reader_.expect_word("as");
      const std::string alias = reader_.required_name();
      step.targets = {scope_.slot(alias)};
      scope_.add_json(alias);
    } else if (auto regex = reader_.regex()) {
      if (regex->names().empty()) throw QueryError{"A regular expression of parse needs named groups: (?<name>...)"};
      for (const std::string& name : regex->names()) {
        step.targets.push_back(scope_.slot(name));
        step.captures.push_back(regex->group_of(name));
      }
      step.regex = std::move(regex);
    } else {
      parse_glob(step);
    }
    // Extracted fields are part of the result, unless a display command chooses others.
    for (std::size_t i = 0; step.kind == Step::Kind::Parse && !displayed_ && i < step.targets.size(); ++i) {
      add_column(query_.names[step.targets[i]], step.targets[i]);
    }
    add(std::move(step));
  }

  void parse_glob(Step& step) {
    const auto glob = reader_.quoted();
    if (!glob) reader_.fail();
    std::string expression = "(?s)";
    std::size_t stars = 0;
    for (std::size_t at = 0; at <= glob->size();) {
      const std::size_t star = glob->find('*', at);
      expression += QueryRegex::quote(std::string_view(*glob).substr(at, star == std::string::npos ? star : star - at));
      if (star == std::string::npos) break;
      // The last one takes the rest of the text.
      expression += star + 1 == glob->size() ? "(.*)" : "(.*?)";
      step.captures.push_back(stars++);
      at = star + 1;
    }
    reader_.expect_word("as");
    step.targets = names();
    if (step.targets.size() != stars) reader_.fail();
    step.regex = reader_.compile(expression);
  }

  void stats(std::size_t begin) {
    if (++stats_ > kMaxStats || (stats_ > 1 && ordered_)) reader_.fail_at(begin);
    Step step{.kind = Step::Kind::Stats};
    std::vector<Column> columns;
    do {
      Named one = named_expression(&step.aggregates);
      const std::size_t slot = scope_.slot(one.name);
      columns.push_back({one.name, slot});
      step.assignments.push_back({slot, std::move(one.value)});
    } while (reader_.take(","));
    if (step.aggregates.empty()) throw QueryError{"Unknown symbols found in or after stats: " + columns[0].name};
    std::vector<Column> groups;
    if (reader_.take_word("by")) {
      static const Function bin = find_function("bin")->function;
      do {
        Named one = named_expression();
        const std::size_t slot = scope_.slot(one.name);
        groups.push_back({one.name, slot});
        step.by_time = step.by_time || (one.value.kind == Expression::Kind::Call && one.value.function == bin);
        step.groups.push_back({slot, std::move(one.value)});
      } while (reader_.take(","));
    }
    query_.has_stats = chosen_ = true;
    query_.columns.clear();
    displayed_ = false;
    for (const auto& list : {groups, columns}) {
      for (const Column& column : list) add_column(column.name, column.slot);
    }
    add(std::move(step));
  }

  // The slot of a name that is sorted by: parts of JSON are computed before.
  std::size_t key_slot() {
    const std::size_t begin = reader_.at();
    const std::string name = reader_.required_name();
    if (reader_.peek() == '(') reader_.fail_at(begin);
    Expression value = scope_.field(name);
    if (value.kind == Expression::Kind::Slot) return value.slot;
    const std::size_t slot = scope_.slot(name);
    Step step{.kind = Step::Kind::Compute};
    step.assignments.push_back({slot, std::move(value)});
    add(std::move(step));
    return slot;
  }

  void sort() {
    Step step{.kind = Step::Kind::Sort};
    do {
      Step::Key key{.slot = key_slot()};
      if (reader_.take_word("desc")) {
        key.descending = true;
      } else {
        reader_.take_word("asc");
      }
      step.keys.push_back(key);
    } while (reader_.take(","));
    ordered_ = true;
    add(std::move(step));
  }

  void limit() {
    Step step{.kind = Step::Kind::Limit};
    step.any = reader_.take_word("any");
    reader_.peek();
    const std::size_t begin = reader_.at();
    step.limit = reader_.integer();
    if (step.limit < 1 || step.limit > kMaxLimit) reader_.fail_at(begin);
    query_.has_limit = ordered_ = true;
    add(std::move(step));
  }

  void dedup() {
    Step step{.kind = Step::Kind::Dedup};
    do step.keys.push_back({.slot = key_slot()});
    while (reader_.take(","));
    deduplicated_ = true;
    add(std::move(step));
  }

  Query query_;
  QueryReader reader_;
  Scope scope_;
  ExpressionParser expressions_;
  std::size_t stats_ = 0;
  bool chosen_ = false;        // a command has chosen columns; by default they are the time and the message
  bool displayed_ = false;     // the last display decides the columns
  bool deduplicated_ = false;  // only limit may follow
  bool ordered_ = false;       // no second stats may follow
};

}  // namespace

std::size_t Scope::slot(const std::string& name) {
  const auto [found, added] = slots_.try_emplace(name, query_.names.size());
  if (added) query_.names.push_back(name);
  return found->second;
}

std::size_t Scope::hidden_slot() {
  query_.names.emplace_back();
  return query_.names.size() - 1;
}

Expression Scope::field(const std::string& name) {
  Expression out;
  out.kind = Expression::Kind::Slot;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string alias = name.substr(0, dot);
    if (!is_json(alias)) continue;
    out.kind = Expression::Kind::Path;
    out.slot = slot(alias);
    out.path = {name.substr(dot + 1)};
    return out;
  }
  out.slot = slot(name);
  return out;
}

void add_time_order(Query& query) {
  std::size_t at = 0;
  for (; at < query.steps.size(); ++at) {
    const Step::Kind kind = query.steps[at].kind;
    if (kind == Step::Kind::Stats || kind == Step::Kind::Sort) return;
    if (kind == Step::Kind::Limit || kind == Step::Kind::Dedup) break;
  }
  const auto found = std::find(query.names.begin(), query.names.end(), "@timestamp");
  const auto slot = static_cast<std::size_t>(found - query.names.begin());
  if (found == query.names.end()) query.names.push_back("@timestamp");
  Step step{.kind = Step::Kind::Sort};
  step.keys.push_back({.slot = slot, .descending = true});
  query.steps.insert(query.steps.begin() + static_cast<std::ptrdiff_t>(at), std::move(step));
}

base::Result<Query> parse_query(std::string_view text, base::Time now) {
  try {
    return QueryParser(text, now).parse();
  } catch (const QueryError& error) {
    return base::Error{error.message};
  }
}

}  // namespace services::logs::insights
