// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/math/math_program.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "services/cloudwatch/math/math_evaluation.h"
#include "services/cloudwatch/math/math_types.h"
#include "wire/error.h"

namespace services::cloudwatch {
namespace {

wire::ApiError expression_error(const std::string& id, const std::string& text) {
  return wire::ApiError("ValidationError", "Error in expression '" + id + "': " + text);
}

// An expression, and the ids that it refers to.
struct ParsedQuery {
  std::string id;
  std::optional<MathNode> root;
  std::set<std::string> needs;
};

ParsedQuery parse_query(const MathQuery& query) {
  ParsedQuery parsed{.id = query.id, .root = std::nullopt, .needs = {}};
  if (query.expression.empty()) return parsed;
  try {
    parsed.root = parse_math(query.expression);
  } catch (const MathError& error) {
    throw expression_error(query.id, error.what());
  }
  for_each_node(*parsed.root, [&](const MathNode& node) {
    if (node.kind == MathNode::Kind::Id) parsed.needs.insert(node.text);
  });
  return parsed;
}

// Each behind those that it needs. Not recursive: hundreds of expressions may form one chain.
std::vector<ParsedQuery> in_order(std::vector<ParsedQuery> queries) {
  std::set<std::string> all;
  for (const ParsedQuery& query : queries) all.insert(query.id);
  std::vector<ParsedQuery> ordered;
  std::set<std::string> done;
  while (!queries.empty()) {
    auto blocked = [&](const ParsedQuery& query) {
      return std::any_of(query.needs.begin(), query.needs.end(),
                         [&](const std::string& id) { return all.contains(id) && !done.contains(id); });
    };
    auto ready_end = std::stable_partition(queries.begin(), queries.end(),
                                           [&](const ParsedQuery& query) { return !blocked(query); });
    if (ready_end == queries.begin()) {
      throw expression_error(queries.front().id, "The expression refers to itself, directly or through others");
    }
    for (auto it = queries.begin(); it != ready_end; ++it) {
      done.insert(it->id);
      ordered.push_back(std::move(*it));
    }
    queries.erase(queries.begin(), ready_end);
  }
  return ordered;
}

}  // namespace

MathProgram MathProgram::compile(const std::vector<MathQuery>& queries) {
  MathProgram program;
  std::vector<ParsedQuery> parsed;
  for (const MathQuery& query : queries) {
    parsed.push_back(parse_query(query));
    if (query.expression.empty()) program.metrics_.push_back(query.id);
  }
  const MathNames names{
      .type_of = [&](std::string_view id) -> std::optional<MathType> {
        auto found = program.types_.find(id);
        return found == program.types_.end() ? std::nullopt : std::optional(found->second);
      },
      .is_metric = [&](std::string_view id) {
        return std::find(program.metrics_.begin(), program.metrics_.end(), id) != program.metrics_.end();
      }};
  for (ParsedQuery& query : in_order(std::move(parsed))) {
    try {
      program.types_[query.id] = query.root ? infer_type(*query.root, names) : MathType::Series;
    } catch (const MathError& error) {
      throw expression_error(query.id, error.what());
    }
    if (query.root) {
      for_each_node(*query.root, [&](const MathNode& node) {
        if (node.kind != MathNode::Kind::Call) return;
        if (node.text == "SEARCH") program.uses_search_ = true;
        if (node.text == "FILL" || node.text == "TIME_SERIES" || node.text == "IF" || is_math_calendar(node.text)) {
          program.makes_points_ = true;
        }
      });
    }
    program.steps_.push_back({std::move(query.id), std::move(query.root)});
  }
  return program;
}

MathType MathProgram::type_of(std::string_view id) const {
  auto found = types_.find(id);
  CHECK(found != types_.end()) << "an id that was not compiled: " << id;
  return found->second;
}

MathResults MathProgram::evaluate(const MathInput& input) const {
  MathResults results;
  std::size_t points = 0;
  for (const Step& step : steps_) {
    if (!step.root) {
      auto found = input.metrics.find(step.id);
      results[step.id] = found == input.metrics.end() ? MathSeries{.label = "", .period_s = input.range.period_s}
                                                      : found->second;
      continue;
    }
    try {
      results[step.id] = evaluate_math(*step.root, {input, metrics_, results, points});
    } catch (const MathError& error) {
      throw expression_error(step.id, error.what());
    }
  }
  return results;
}

}  // namespace services::cloudwatch
