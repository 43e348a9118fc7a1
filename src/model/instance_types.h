// SPDX-License-Identifier: Apache-2.0
// Instance types: how much of a machine an EC2 instance has. Amazon's are built in; an operator adds own types, or
// replaces Amazon's, with a file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace model {

struct InstanceType {
  std::string name;  // "g4dn.xlarge"
  int vcpus = 0;
  std::int64_t memory_mib = 0;
  int gpus = 0;
  std::string gpu_model;            // "T4"; "" without GPUs
  std::int64_t gpu_memory_mib = 0;  // of each GPU
  bool operator==(const InstanceType&) const = default;
};

// By name.
using InstanceTypes = std::map<std::string, InstanceType, std::less<>>;

// Amazon's.
const InstanceTypes& built_in_instance_types();

const InstanceType* find_instance_type(const InstanceTypes& types, std::string_view name);
// Among the built-in types only.
const InstanceType* find_instance_type(std::string_view name);

// Rows of comma-separated values over `types`, whose rows of the same name they replace:
//   type,vcpus,memory_mib,gpus,gpu_model,gpu_memory_mib
//   box.large,16,65536,2,RTX 4090,24564
// The first line may name the columns, in this order. Empty lines and lines that start with # do not count. The error
// names the line.
base::Result<InstanceTypes> parse_instance_types(std::string_view text, InstanceTypes types);

}  // namespace model
