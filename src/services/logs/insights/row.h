// SPDX-License-Identifier: Apache-2.0
// A row on its way through a query: an event whose fields are read when they are needed, or a row of values only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "services/logs/insights/query.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs::insights {

struct Event {
  std::int64_t timestamp_ms = 0, ingested_ms = 0;
  std::string_view message = {}, stream = {};
  std::string_view log = {};                 // "account:group"
  std::function<std::string()> pointer = {};  // makes its @ptr
};

// The fields of an event: those of the system, and those that its JSON message has.
class EventFields {
 public:
  void reset(const Event& event);
  Value load(std::string_view name);
  const Event& event() const { return event_; }

 private:
  Event event_;
  JsonTape tape_;
  bool parsed_ = false, is_json_ = false;
};

struct Row {
  std::vector<Value> values;
  std::vector<char> loaded;
  EventFields* event = nullptr;  // of rows that are not buffered
  std::int64_t time_ms = 0;      // of the event; 0 for groups
  std::uint64_t number = 0;      // keeps the order of equal rows
  std::uint64_t work = 0;        // bytes that functions made and searched

  explicit Row(std::size_t slots) : values(slots), loaded(slots, 0) {}
  void set(std::size_t slot, Value value) {
    values[slot] = std::move(value);
    loaded[slot] = 1;
  }
  const Value& get(std::size_t slot, const std::vector<std::string>& names) {
    if (!loaded[slot]) {
      loaded[slot] = 1;
      values[slot] = event ? event->load(names[slot]) : Value::null();
    }
    return values[slot];
  }
};

// The value at a path in a JSON document. Keys may themselves contain dots.
Value json_value(const JsonTape& tape, std::uint32_t at, std::string_view path);
Value json_node_value(const JsonNode& node);

// Evaluates; the result may be `scratch` or a value of the row.
const Value& evaluate(const Expression& expression, Row& row, const std::vector<std::string>& names, Value& scratch);

}  // namespace services::logs::insights
