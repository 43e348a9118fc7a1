// SPDX-License-Identifier: Apache-2.0
#include "control/providers/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

namespace control::providers {
namespace {

constexpr std::size_t kMaxNamedHolders = 10;

// "; held by i-1 (2), i-2 (1)"
std::string holders_text(const std::vector<Holding>& held, const std::function<std::int64_t(const Slice&)>& amount) {
  std::string text;
  std::size_t named = 0, unnamed = 0;
  for (const Holding& holding : held) {
    const std::int64_t count = amount(holding.slice);
    if (count == 0) continue;
    if (named++ >= kMaxNamedHolders) {
      ++unnamed;
      continue;
    }
    text += fmt::format("{}{} ({})", text.empty() ? "; held by " : ", ", holding.instance, count);
  }
  if (unnamed > 0) text += fmt::format(" and {} more", unnamed);
  return text;
}

base::Error insufficient(const std::string& text) { return {"InsufficientInstanceCapacity: " + text + "."}; }

base::Result<std::vector<std::string>> reserve_gpus(const Pool& pool, const model::InstanceType& type,
                                                    const std::vector<Holding>& held) {
  std::vector<PoolGpu> free = pool.gpus;
  for (const Holding& holding : held) {
    std::erase_if(free, [&](const PoolGpu& gpu) {
      return std::ranges::find(holding.slice.gpus, gpu.id) != holding.slice.gpus.end();
    });
  }
  const auto wanted = static_cast<std::size_t>(type.gpus);
  if (free.size() < wanted) {
    const auto count = [](const Slice& slice) { return static_cast<std::int64_t>(slice.gpus.size()); };
    if (pool.gpus.empty()) {
      return insufficient(fmt::format("{} needs {} GPUs and the pool of this machine has none (--pool-gpus)", type.name,
                                      type.gpus));
    }
    return insufficient(fmt::format("{} needs {} GPUs and this machine has {} of {} GPUs free{}", type.name, type.gpus,
                                    free.size(), pool.gpus.size(), holders_text(held, count)));
  }
  std::ranges::stable_partition(free, [&](const PoolGpu& gpu) {
    return !type.gpu_model.empty() && gpu.model.find(type.gpu_model) != gpu.model.npos;
  });
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < wanted; ++i) ids.push_back(free[i].id);
  return ids;
}

}  // namespace

base::Result<Slice> reserve(const Pool& pool, const model::InstanceType& type, const std::vector<Holding>& held) {
  auto gpus = reserve_gpus(pool, type, held);
  if (!gpus) return base::Error{gpus.error()};
  Slice slice{type.vcpus, type.memory_mib, std::move(*gpus)};
  if (pool.overcommit) return slice;
  Slice used;
  for (const Holding& holding : held) {
    used.vcpus += holding.slice.vcpus;
    used.memory_mib += holding.slice.memory_mib;
  }
  if (used.vcpus + slice.vcpus > pool.vcpus) {
    return insufficient(fmt::format("{} needs {} vCPUs and this machine has {} of {} vCPUs free{}", type.name, slice.vcpus,
                                    std::max<std::int64_t>(pool.vcpus - used.vcpus, 0), pool.vcpus,
                                    holders_text(held, [](const Slice& one) { return one.vcpus; })));
  }
  if (used.memory_mib + slice.memory_mib > pool.memory_mib) {
    return insufficient(fmt::format("{} needs {} MiB of memory and this machine has {} of {} MiB free{}", type.name,
                                    slice.memory_mib, std::max<std::int64_t>(pool.memory_mib - used.memory_mib, 0),
                                    pool.memory_mib, holders_text(held, [](const Slice& one) { return one.memory_mib; })));
  }
  return slice;
}

}  // namespace control::providers
