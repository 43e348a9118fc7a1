// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/ledger.h"

#include <algorithm>

#include "base/log.h"

namespace agent {
namespace {

std::string amount_text(const GpuClaim& claim) {
  return claim.share_mib == 0 ? "whole" : std::to_string(claim.share_mib) + " MiB";
}

void log_claim(std::string_view event, const std::string& task_arn, const GpuClaim& claim) {
  base::log_info(
      event, {{"gpu", claim.gpu}, {"task", task_arn}, {"container", claim.container}, {"amount", amount_text(claim)}});
}

// The memory that one task claims of one GPU, summed over its containers.
std::int64_t total_mib(const std::vector<GpuClaim>& claims, const std::string& gpu) {
  std::int64_t total = 0;
  for (const GpuClaim& claim : claims) total += claim.gpu == gpu ? claim.share_mib : 0;
  return total;
}

}  // namespace

std::vector<GpuClaim> claims_of(const shapes::agent::Task& task) {
  std::vector<GpuClaim> claims;
  if (task.stokerGpuShares) {
    for (const auto& share : *task.stokerGpuShares) {
      claims.push_back({share.gpuId, share.container, share.memoryInMiB});
    }
  }
  auto is_shared = [&](const std::string& gpu, const std::string& container) {
    return std::ranges::any_of(claims, [&](const GpuClaim& claim) {
      return claim.share_mib > 0 && claim.gpu == gpu && claim.container == container;
    });
  };
  for (const auto& association : task.associations) {
    if (association.type != "gpu") continue;
    for (const std::string& container : association.containers) {
      if (!is_shared(association.name, container)) claims.push_back({association.name, container, 0});
    }
  }
  return claims;
}

void Ledger::set_gpus(std::vector<gpu::Gpu> gpus) { gpus_ = std::move(gpus); }

const gpu::Gpu* Ledger::find(const std::string& id) const {
  auto found = std::ranges::find(gpus_, id, &gpu::Gpu::id);
  return found == gpus_.end() ? nullptr : &*found;
}

GrantAnswer Ledger::check(const std::string& task_arn, const GpuClaim& claim, std::int64_t own_mib) const {
  const gpu::Gpu* gpu = find(claim.gpu);
  if (!gpu) return {Grant::Never, "ResourceInitializationError: this machine has no GPU " + claim.gpu};
  if (!gpu->healthy) {
    return {Grant::Never, "ResourceInitializationError: GPU " + claim.gpu + " is unhealthy: " + gpu->trouble};
  }
  if (own_mib > gpu->memory_mib) {
    return {Grant::Never, "ResourceInitializationError: GPU " + claim.gpu + " has " + std::to_string(gpu->memory_mib) +
                              " MiB of memory, but the task claims " + std::to_string(own_mib) + " MiB"};
  }
  std::int64_t shared = own_mib;
  for (const auto& [other, claims] : held_) {
    if (other == task_arn) continue;
    for (const GpuClaim& held : claims) {
      if (held.gpu != claim.gpu) continue;
      shared += held.share_mib;
      const bool whole = held.share_mib == 0 || claim.share_mib == 0;
      if (whole || shared > gpu->memory_mib) return {Grant::Wait, "GPU " + claim.gpu + " is held by " + other};
    }
  }
  return {};
}

GrantAnswer Ledger::grant(const std::string& task_arn, const std::vector<GpuClaim>& claims) {
  if (held_.contains(task_arn)) return {};
  // Never takes precedence over Wait: no task should wait for what it can never get.
  GrantAnswer wait;
  for (const GpuClaim& claim : claims) {
    GrantAnswer answer = check(task_arn, claim, total_mib(claims, claim.gpu));
    if (answer.grant == Grant::Never) return answer;
    if (answer.grant == Grant::Wait) wait = std::move(answer);
  }
  if (wait.grant == Grant::Wait) return wait;
  hold(task_arn, claims);
  return {};
}

void Ledger::adopt(const std::string& task_arn, const std::vector<GpuClaim>& claims) {
  for (const GpuClaim& claim : claims) {
    GrantAnswer answer = check(task_arn, claim, total_mib(claims, claim.gpu));
    if (answer.grant != Grant::Granted) {
      base::log_error("adopted task holds a conflicting gpu", {{"task", task_arn}, {"reason", answer.reason}});
    }
  }
  hold(task_arn, claims);
}

void Ledger::hold(const std::string& task_arn, const std::vector<GpuClaim>& claims) {
  if (claims.empty()) return;
  for (const GpuClaim& claim : claims) log_claim("gpu granted", task_arn, claim);
  held_[task_arn] = claims;
}

bool Ledger::release(const std::string& task_arn) {
  auto held = held_.find(task_arn);
  if (held == held_.end()) return false;
  for (const GpuClaim& claim : held->second) log_claim("gpu released", task_arn, claim);
  held_.erase(held);
  return true;
}

std::vector<Ledger::Holder> Ledger::containers_on(const std::string& gpu) const {
  std::vector<Holder> containers;
  for (const auto& [task, claims] : held_) {
    for (const GpuClaim& claim : claims) {
      if (claim.gpu == gpu) containers.push_back({task, claim.container});
    }
  }
  return containers;
}

std::vector<std::string> Ledger::holders(const std::string& gpu) const {
  std::vector<std::string> tasks;
  for (const auto& [task, claims] : held_) {
    if (std::ranges::any_of(claims, [&](const GpuClaim& claim) { return claim.gpu == gpu; })) tasks.push_back(task);
  }
  return tasks;
}

}  // namespace agent
