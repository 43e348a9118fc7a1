// SPDX-License-Identifier: Apache-2.0
#include "scheduler/filter.h"

#include <algorithm>

namespace scheduler {
namespace {

constexpr std::size_t kMaxNamed = 3;           // tasks or ports named in a detail
constexpr std::size_t kMaxQuotedLength = 200;  // of an expression in a detail

const model::RequiredAttribute* missing_attribute(const Machine& machine, const model::TaskDemand& demand) {
  const model::Attributes& attributes = machine.instance().attributes;
  for (const model::RequiredAttribute& required : demand.required_attributes) {
    auto found = attributes.find(required.name);
    if (found == attributes.end()) return &required;
    if (required.value && found->second != required.value) return &required;
  }
  return nullptr;
}

std::vector<std::string> taken_ports(const Machine& machine, const model::TaskDemand& demand) {
  std::vector<std::string> taken;
  for (std::uint16_t port : demand.ports.tcp) {
    if (!machine.port_is_free(model::Transport::Tcp, port)) taken.push_back(std::to_string(port) + "/tcp");
  }
  for (std::uint16_t port : demand.ports.udp) {
    if (!machine.port_is_free(model::Transport::Udp, port)) taken.push_back(std::to_string(port) + "/udp");
  }
  return taken;
}

bool ports_fit(const Machine& machine, const model::TaskDemand& demand) {
  auto free = [&](model::Transport transport) {
    return std::ranges::all_of(demand.ports.of(transport),
                               [&](std::uint16_t port) { return machine.port_is_free(transport, port); });
  };
  if (!free(model::Transport::Tcp) || !free(model::Transport::Udp)) return false;
  return demand.dynamic_ports == 0 || machine.free_dynamic_ports() >= demand.dynamic_ports;
}

const Expression* unsatisfied(const Machine& machine, const Request& request) {
  for (const Expression& expression : request.member_of) {
    if (!expression.matches(machine.instance(), machine.tasks())) return &expression;
  }
  return nullptr;
}

// "a, b, c and 2 more"
std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kMaxNamed) text += " and " + std::to_string(names.size() - kMaxNamed) + " more";
  return text;
}

template <class Fits>
std::vector<std::string> names_of_tasks(const Machine& machine, Fits fits) {
  std::vector<std::string> names;
  for (const model::TaskHold& task : machine.tasks()) {
    if (fits(task)) names.push_back(task.task.str());
  }
  return names;
}

std::string shortage(std::int64_t free, std::int64_t total, std::int64_t needed, const std::string& unit) {
  std::string text = std::to_string(std::max<std::int64_t>(free, 0)) + " of " + std::to_string(total) + " " + unit +
                     " free, " + std::to_string(needed) + " needed";
  return needed > total ? text + ": more than the machine has" : text;
}

// Free amount of the scarce resource: whole GPUs, or memory of one GPU.
std::string explain_free_gpus(const Machine& machine, const GpuNeed& need) {
  if (machine.idle_gpus() < need.whole || need.all) {
    if (machine.idle_gpus() == 0) return "no GPU free";
    return std::to_string(machine.idle_gpus()) + (machine.idle_gpus() == 1 ? " GPU free" : " GPUs free");
  }
  std::int64_t most = 0;
  for (std::size_t gpu = 0; gpu < machine.gpu_uses().size(); ++gpu) {
    const model::Gpu& device = machine.instance().total.gpus[gpu];
    bool could_be_shared = device.healthy && machine.gpu_uses()[gpu].idle() && machine.idle_gpus() > need.whole;
    most = std::max(most, could_be_shared ? device.memory_mib : machine.shareable_mib(gpu));
  }
  return "no GPU has more than " + std::to_string(most) + " MiB free";
}

// "no GPU free: 8 of 8 held by task X, Y; needs 2"
std::string explain_gpus(const Machine& machine, const GpuNeed& need) {
  std::size_t total = machine.instance().total.gpus.size();
  if (total == 0) return "has no GPU";
  std::string text = explain_free_gpus(machine, need);
  auto held = std::ranges::count_if(machine.gpu_uses(), [](const GpuUse& use) { return !use.idle(); });
  std::vector<std::string> holders =
      names_of_tasks(machine, [](const model::TaskHold& task) { return !task.gpus.empty(); });
  if (held > 0) text += ": " + std::to_string(held) + " of " + std::to_string(total) + " held by task " + join(holders);
  std::size_t unhealthy = total - static_cast<std::size_t>(machine.healthy_gpus());
  if (unhealthy > 0) text += "; " + std::to_string(unhealthy) + " unhealthy";
  if (need.all) return text + "; needs all";
  if (need.whole > 0) text += "; needs " + std::to_string(need.whole);
  if (need.whole > static_cast<std::int64_t>(total)) text += ": more than the machine has";
  if (need.shared_mib > 0) text += "; needs " + std::to_string(need.shared_mib) + " MiB of one GPU";
  return text;
}

std::string explain_reason(Reason reason, const Machine& machine, const Request& request, const GpuNeed& need) {
  const model::Instance& instance = machine.instance();
  const model::TaskDemand& demand = request.demand;
  switch (reason) {
    case Reason::Missing: break;
    case Reason::Inactive: return "is " + std::string(text(instance.status));
    case Reason::Agent: return instance.agent_connected ? instance.trouble : "its agent is not connected";
    case Reason::Attribute: {
      if (!is_of_provider(machine, request)) return "is no instance of capacity provider " + request.capacity_provider;
      const model::RequiredAttribute* missing = missing_attribute(machine, demand);
      return "lacks the attribute " + missing->name + (missing->value ? " = " + *missing->value : "");
    }
    case Reason::Cpu: return shortage(machine.free_cpu(), instance.total.cpu, demand.cpu, "CPU units");
    case Reason::Memory:
      return shortage(machine.free_memory_mib(), instance.total.memory_mib, demand.memory_mib, "MiB of memory");
    case Reason::Ports: {
      std::vector<std::string> taken = taken_ports(machine, demand);
      if (taken.empty())
        return std::to_string(machine.free_dynamic_ports()) + " dynamic ports free, " +
               std::to_string(demand.dynamic_ports) + " needed";
      return "host port " + join(taken) + " in use";
    }
    case Reason::Gpu: return explain_gpus(machine, need);
    case Reason::DistinctInstance: {
      auto same = [&](const model::TaskHold& task) { return !task.stopping && task.group == request.group; };
      return "already has task " + join(names_of_tasks(machine, same)) + " of group " + request.group;
    }
    case Reason::MemberOf:
      return "does not satisfy " + unsatisfied(machine, request)->text().substr(0, kMaxQuotedLength);
  }
  return "";
}

}  // namespace

bool is_of_provider(const Machine& machine, const Request& request) {
  return request.capacity_provider.empty() || machine.instance().capacity_provider == request.capacity_provider;
}

std::optional<Reason> misfit(const Machine& machine, const Request& request, const GpuNeed& need) {
  if (machine.instance().status != model::InstanceStatus::Active) return Reason::Inactive;
  if (!machine.accepts_tasks()) return Reason::Agent;
  if (!is_of_provider(machine, request)) return Reason::Attribute;
  if (missing_attribute(machine, request.demand)) return Reason::Attribute;
  if (machine.free_cpu() < request.demand.cpu) return Reason::Cpu;
  if (machine.free_memory_mib() < request.demand.memory_mib) return Reason::Memory;
  if (!ports_fit(machine, request.demand)) return Reason::Ports;
  if (!gpus_fit(machine, need)) return Reason::Gpu;
  if (request.distinct_instance && machine.tasks_in_group(request.group) > 0) return Reason::DistinctInstance;
  if (unsatisfied(machine, request)) return Reason::MemberOf;
  return std::nullopt;
}

std::optional<Failure> explain(const Machine& machine, const Request& request) {
  GpuNeed need(request.demand);
  std::optional<Reason> reason = misfit(machine, request, need);
  if (!reason) return std::nullopt;
  const model::Instance& instance = machine.instance();
  const std::string& name = instance.ec2_instance_id.empty() ? instance.id.str() : instance.ec2_instance_id;
  return Failure{instance.id, *reason, name + ": " + explain_reason(*reason, machine, request, need)};
}

Plan make_plan(const Machine& machine, const Request& request) {
  const model::TaskDemand& demand = request.demand;
  return {machine.instance().id,
          machine.instance().number,
          {.task = request.task,
           .group = request.group,
           .started_by = request.started_by,
           .cpu = demand.cpu,
           .memory_mib = demand.memory_mib,
           .ports = demand.ports,
           .dynamic_ports = demand.dynamic_ports,
           .gpus = choose_gpus(machine, demand)}};
}

}  // namespace scheduler
