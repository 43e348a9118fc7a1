// SPDX-License-Identifier: Apache-2.0
#include "control/providers/machine_record.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/log.h"
#include "wire/error.h"
#include "wire/json.h"

namespace control::providers {
namespace {

template <class T>
T read_or_default(const std::string& json) {
  T value;
  if (json.empty()) return value;
  try {
    wire::read_json(wire::type_of<T>(), json, &value);
  } catch (const wire::ApiError& error) {
    base::log_error("damaged record of a machine ignored", {{"error", error.message()}});
    return T();
  }
  return value;
}

}  // namespace

MachineRecord read_record(const std::string& json) { return read_or_default<MachineRecord>(json); }

std::string write_record(const MachineRecord& record) {
  std::string text;
  wire::write_json(wire::type_of<MachineRecord>(), &record, text);
  return text;
}

shapes::stoker::AgentSettings read_settings(const std::string& json) {
  return read_or_default<shapes::stoker::AgentSettings>(json);
}

std::string join_token(const state::Key& key) {
  std::string text = base::to_base64(key.id + ":" + key.secret);
  text.resize(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return "stk1." + text;
}

}  // namespace control::providers
