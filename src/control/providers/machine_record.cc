// SPDX-License-Identifier: Apache-2.0
#include "control/providers/machine_record.h"

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

std::string key_word(const state::Key& key) { return "stkkey1." + key.id + "." + key.secret; }

}  // namespace control::providers
