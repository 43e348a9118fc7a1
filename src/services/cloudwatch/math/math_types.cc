// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/math/math_types.h"

#include <algorithm>
#include <array>

namespace services::cloudwatch {
namespace {

using Kind = MathNode::Kind;

// Amazon has these; each depends on a service that Stoker does not have.
constexpr std::array<std::string_view, 5> kUnsupportedFunctions = {"ANOMALY_DETECTION_BAND", "INSIGHT_RULE_METRIC",
                                                                   "SERVICE_QUOTA", "LAMBDA", "DB_PERF_INSIGHTS"};

constexpr double kMaxSearchPeriod = 366 * 86400;

std::string_view name_of(MathType type) {
  switch (type) {
    case MathType::Scalar: return "a scalar";
    case MathType::Series: return "a time series";
    case MathType::Array: return "an array of time series";
  }
  return "";
}

class TypeChecker {
 public:
  explicit TypeChecker(const MathNames& names) : names_(names) {}

  MathType check(const MathNode& node) {
    switch (node.kind) {
      case Kind::Number: return MathType::Scalar;
      case Kind::Id: return check_id(node);
      case Kind::Negate: return check(node.parts[0]);
      case Kind::Binary: return check_binary(node);
      case Kind::Call: return check_call(node);
      case Kind::Array: return check_array(node);
      case Kind::Text: throw MathError("A text is only allowed as an argument of SEARCH and METRICS");
      case Kind::Word: throw MathError("Unexpected word '" + node.text + "'");
    }
    throw MathError("The expression is invalid");
  }

 private:
  MathType check_id(const MathNode& node) {
    auto type = names_.type_of(node.text);
    if (!type) throw MathError("Id '" + node.text + "' not found");
    return *type;
  }

  MathType check_binary(const MathNode& node) {
    const MathType left = check(node.parts[0]), right = check(node.parts[1]);
    if (left == MathType::Array && right == MathType::Array) {
      throw MathError("Unsupported operand types for " + std::string(sign_of(node.op)) +
                      ": two arrays of time series");
    }
    return std::max(left, right);
  }

  MathType check_array(const MathNode& node) {
    if (node.parts.empty()) throw MathError("An array needs at least one element");
    for (const MathNode& part : node.parts) {
      if (check(part) == MathType::Scalar) throw MathError("The elements of an array must be time series");
    }
    return MathType::Array;
  }

  [[noreturn]] static void refuse_argument(const MathNode& call, std::size_t index, MathType type) {
    throw MathError("Function '" + call.text + "' does not accept " + std::string(name_of(type)) + " as argument " +
                    std::to_string(index + 1));
  }

  static void require_count(const MathNode& call, std::size_t least, std::size_t most) {
    if (call.parts.size() >= least && call.parts.size() <= most) return;
    throw MathError("Function '" + call.text + "' does not accept " + std::to_string(call.parts.size()) + " arguments");
  }

  MathType require(const MathNode& call, std::size_t index, std::initializer_list<MathType> allowed) {
    const MathType type = check(call.parts[index]);
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) refuse_argument(call, index, type);
    return type;
  }

  static void require_word(const MathNode& call, std::size_t index, std::initializer_list<std::string_view> allowed) {
    const MathNode& part = call.parts[index];
    if (part.kind == Kind::Word && std::find(allowed.begin(), allowed.end(), part.text) != allowed.end()) return;
    std::string words;
    for (std::string_view word : allowed) words += (words.empty() ? "" : ", ") + std::string(word);
    throw MathError("Argument " + std::to_string(index + 1) + " of function '" + call.text + "' must be one of: " + words);
  }

  static void require_text(const MathNode& call, std::size_t index) {
    if (call.parts[index].kind == Kind::Text) return;
    throw MathError("Argument " + std::to_string(index + 1) + " of function '" + call.text + "' must be a text");
  }

  MathType check_call(const MathNode& call) {
    const std::string& name = call.text;
    if (is_math_statistic(name)) {
      require_count(call, 1, 1);
      return require(call, 0, {MathType::Series, MathType::Array}) == MathType::Series ? MathType::Scalar
                                                                                       : MathType::Series;
    }
    if (name == "METRIC_COUNT") {
      require_count(call, 1, 1);
      require(call, 0, {MathType::Array});
      return MathType::Scalar;
    }
    if (is_math_mapping(name)) {
      require_count(call, 1, 1);
      if (name == "ABS" || name == "CEIL" || name == "FLOOR" || name == "LOG" || name == "LOG10") {
        return check(call.parts[0]);
      }
      return require(call, 0, {MathType::Series, MathType::Array});
    }
    if (is_math_calendar(name)) {
      require_count(call, 1, 1);
      return require(call, 0, {MathType::Series});
    }
    if (name == "FILL" || name == "IF" || name == "TIME_SERIES") return check_shaping(call);
    if (name == "FIRST" || name == "LAST" || name == "REMOVE_EMPTY" || name == "SLICE" || name == "SORT") {
      return check_selection(call);
    }
    if (name == "METRICS" || name == "SEARCH" || name == "PERIOD") return check_source(call);
    if (std::find(kUnsupportedFunctions.begin(), kUnsupportedFunctions.end(), name) != kUnsupportedFunctions.end()) {
      throw MathError("Stoker does not support the function '" + name + "'");
    }
    throw MathError("Function '" + name + "' not found");
  }

  // Functions that change the points of a series, or make one.
  MathType check_shaping(const MathNode& call) {
    if (call.text == "TIME_SERIES") {
      require_count(call, 1, 1);
      require(call, 0, {MathType::Scalar});
      return MathType::Series;
    }
    if (call.text == "FILL") {
      require_count(call, 2, 2);
      if (call.parts[1].kind == Kind::Word) {
        require_word(call, 1, {"REPEAT", "LINEAR"});
      } else {
        require(call, 1, {MathType::Scalar, MathType::Series});
      }
      return require(call, 0, {MathType::Series, MathType::Array});
    }
    require_count(call, 2, 3);
    MathType type = MathType::Scalar;
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      type = std::max(type, require(call, i, {MathType::Scalar, MathType::Series}));
    }
    return type;
  }

  // Functions that choose from an array.
  MathType check_selection(const MathNode& call) {
    const std::string& name = call.text;
    if (name == "SLICE") {
      require_count(call, 2, 3);
      for (std::size_t i = 1; i < call.parts.size(); ++i) require(call, i, {MathType::Scalar});
    } else if (name == "SORT") {
      require_count(call, 3, 4);
      require_word(call, 1, {"AVG", "MIN", "MAX", "SUM"});
      require_word(call, 2, {"ASC", "DESC"});
      if (call.parts.size() == 4) require(call, 3, {MathType::Scalar});
    } else {
      require_count(call, 1, 1);
    }
    require(call, 0, {MathType::Array});
    const bool one = name == "FIRST" || name == "LAST" || (name == "SLICE" && call.parts.size() == 2);
    return one ? MathType::Series : MathType::Array;
  }

  MathType check_source(const MathNode& call) {
    if (call.text == "METRICS") {
      require_count(call, 0, 1);
      if (!call.parts.empty()) require_text(call, 0);
      return MathType::Array;
    }
    if (call.text == "SEARCH") {
      require_count(call, 2, 3);
      require_text(call, 0);
      require_text(call, 1);
      const bool has_period = call.parts.size() == 3;
      if (has_period && (call.parts[2].kind != Kind::Number || !(call.parts[2].number >= 1) ||
                         call.parts[2].number > kMaxSearchPeriod)) {
        throw MathError("Argument 3 of function 'SEARCH' must be a number of seconds");
      }
      return MathType::Array;
    }
    require_count(call, 1, 1);
    if (call.parts[0].kind != Kind::Id || !names_.is_metric(call.parts[0].text)) {
      throw MathError("Function 'PERIOD' only accepts the id of a metric");
    }
    return MathType::Scalar;
  }

  const MathNames& names_;
};

}  // namespace

MathType infer_type(const MathNode& node, const MathNames& names) { return TypeChecker(names).check(node); }

void for_each_node(const MathNode& node, const std::function<void(const MathNode&)>& fn) {
  fn(node);
  for (const MathNode& part : node.parts) for_each_node(part, fn);
}

}  // namespace services::cloudwatch
