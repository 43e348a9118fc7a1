// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/functions.h"
#include "services/logs/insights/row.h"
#include "services/logs/patterns/json_tape.h"
#include "wire/json.h"

namespace services::logs::insights {
namespace {

using Arguments = std::vector<Value>;

// JSON is kept as text; an alias of it has fields by their paths.
Value json_parse(const Expression&, const Arguments& arguments) {
  JsonTape tape;
  return tape.parse(arguments[0].as_text()) ? arguments[0] : Value::null();
}

Value json_stringify(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  const std::string text = arguments[0].as_text();
  JsonTape tape;
  if (tape.parse(text)) return Value::of(text);
  std::string out;
  wire::write_json_string(text, out);
  return Value::of(out);
}

Value json_array_size(const Expression&, const Arguments& arguments) {
  JsonTape tape;
  const std::string text = arguments[0].as_text();
  if (!tape.parse(text) || tape.node(0).kind != JsonNode::Kind::Array) return {};
  double count = 0;
  tape.each_child(0, [&](std::uint32_t) { ++count; });
  return Value::of(count);
}

Value json_array_contains(const Expression&, const Arguments& arguments) {
  JsonTape tape;
  const std::string text = arguments[0].as_text();
  if (!tape.parse(text) || tape.node(0).kind != JsonNode::Kind::Array) return {};
  bool found = false;
  tape.each_child(0, [&](std::uint32_t child) {
    found = found || equals(json_node_value(tape.node(child)), arguments[1]);
  });
  return Value::of(found);
}

}  // namespace

const std::vector<FunctionRow>& json_functions() {
  static const std::vector<FunctionRow> rows = {
      {"jsonparse", 1, 1, &json_parse},
      {"jsonstringify", 1, 1, &json_stringify},
      {"jsonarraysize", 1, 1, &json_array_size},
      {"jsonarraycontains", 2, 2, &json_array_contains},
  };
  return rows;
}

}  // namespace services::logs::insights
