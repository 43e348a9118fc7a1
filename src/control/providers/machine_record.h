// SPDX-License-Identifier: Apache-2.0
// What a provider remembers of a machine: state::Ec2Instance::machine_json.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "shapes/stoker/machine.h"
#include "state/keys.h"

namespace control::providers {

struct MachineRecord {
  std::string provider;  // its name; "": the start has not begun
  std::string key;       // id of the access key of the machine's agent
  std::string identity;  // a process, a job, a script's output; "": the start has not ended
  std::int64_t vcpus = 0, memoryMib = 0;
  std::vector<std::string> gpus;
  bool operator==(const MachineRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(MachineRecord, (), (provider, key, identity, vcpus, memoryMib, gpus))

// An empty record for an empty or damaged text.
MachineRecord read_record(const std::string& json);
std::string write_record(const MachineRecord& record);

// The settings of an instance's agent; the defaults for an empty or damaged text.
shapes::stoker::AgentSettings read_settings(const std::string& json);

// The key of a machine in one word, with which its agent joins: see agent/machine_key.h.
std::string key_word(const state::Key& key);

}  // namespace control::providers
