// SPDX-License-Identifier: Apache-2.0
// What the local provider may hand out, and to whom: vCPUs and memory are counted, GPUs are assigned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/instance_types.h"

namespace control::providers {

struct PoolGpu {
  std::string id, model;
};

struct Pool {
  std::int64_t vcpus = 0, memory_mib = 0;
  // vCPUs and memory may be handed out several times. GPUs never are.
  bool overcommit = false;
  std::vector<PoolGpu> gpus = {};
};

// A part of the pool.
struct Slice {
  std::int64_t vcpus = 0, memory_mib = 0;
  std::vector<std::string> gpus = {};
  bool operator==(const Slice&) const = default;
};

struct Holding {
  std::string instance;
  Slice slice;
};

// The slice of an instance of this type. It prefers GPUs of the type's model, then those that come first in the pool.
// The error is the reason of the failed launch, with what is free and which instances hold the rest.
base::Result<Slice> reserve(const Pool& pool, const model::InstanceType& type, const std::vector<Holding>& held);

}  // namespace control::providers
