// SPDX-License-Identifier: Apache-2.0
#include "service_simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace scheduler::sim {
namespace {

constexpr int kMostRounds = 50;
constexpr std::chrono::minutes kLongestProtection{10};

bool is_live(const ServiceTask& t) { return !t.stopping; }
bool is_healthy(const ServiceTask& t) {
  return is_live(t) && t.running && (t.health == TaskHealth::NotChecked || t.health == TaskHealth::Healthy);
}

// A daemon's minimum counts machines that it is desired on.
int count_healthy(const ServiceView& view) {
  std::set<model::InstanceId> machines;
  int tasks = 0;
  for (const ServiceTask& t : view.tasks) {
    if (!is_healthy(t)) continue;
    ++tasks;
    for (const DaemonMachine& machine : view.machines) {
      if (machine.id == t.machine && machine.suitable) machines.insert(t.machine);
    }
  }
  return view.rules.daemon ? static_cast<int>(machines.size()) : tasks;
}

int count_live(const ServiceView& view) { return static_cast<int>(std::ranges::count_if(view.tasks, is_live)); }

}  // namespace

ServiceSimulator::ServiceSimulator(const Script& script, Reconciler reconciler)
    : seed_(script.seed),
      reconciler_(std::move(reconciler)),
      health_checks_(script.health_checks),
      rules_(script.rules),
      zones_(script.zones),
      slots_(script.slots) {
  for (int i = 0; i < script.machines; ++i) add_machine(slots_);
  update(Quality::Good);
}

void ServiceSimulator::add_machine(int slots) {
  const std::size_t number = machines_.size();
  const std::string zone(1, static_cast<char>('a' + static_cast<int>(number) % zones_));
  machines_.push_back({.id = model::InstanceId("m" + std::to_string(100 + number)), .zone = zone, .slots = slots});
}

// The same for the n-th task of any run of a script.
std::uint32_t ServiceSimulator::fate(std::uint64_t number) const {
  std::mt19937_64 random(seed_ * 1'000'003 + number);
  return static_cast<std::uint32_t>(random() >> 33);
}

void ServiceSimulator::update(Quality quality) {
  for (auto& [number, one] : deployments_) one.view.primary = false;
  primary_ = next_deployment_++;
  deployments_[primary_] = {{.number = primary_, .primary = true, .created_at = now_}, quality};
}

SimulatedTask* ServiceSimulator::task_at(std::uint32_t index) {
  return tasks_.empty() ? nullptr : &tasks_[index % tasks_.size()];
}

void ServiceSimulator::play(const Event& event) {
  using Kind = Event::Kind;
  SimulatedTask* task = task_at(event.first);
  SimulatedMachine& machine = machine_at(event.first);
  switch (event.kind) {
    case Kind::Wait: now_ += std::chrono::seconds(event.first % 60); break;
    case Kind::Update: update(static_cast<Quality>(event.first % 5)); break;
    case Kind::Scale:
      if (!rules_.daemon) rules_.desired = static_cast<std::int32_t>(event.first % 9);
      break;
    case Kind::Bounds:
      rules_.minimum_percent = static_cast<std::int32_t>(event.first % 5) * 25;
      if (!rules_.daemon) rules_.maximum_percent = 100 + static_cast<std::int32_t>(event.second % 5) * 25;
      break;
    case Kind::KillTask:
      if (task) fail(*task);
      break;
    case Kind::FailHealth:
      if (task && task->view.running && health_checks_) task->view.health = TaskHealth::Unhealthy;
      break;
    case Kind::KillMachine:
      for (SimulatedTask& one : tasks_) {
        if (one.view.machine == machine.id) fail(one);
      }
      break;
    case Kind::Drain:
      machine.draining = true;
      machine.other_tasks = event.second % 2 == 0;
      break;
    case Kind::Activate: machine.draining = machine.disconnected = machine.excluded = false; break;
    case Kind::Disconnect: machine.disconnected = true; break;
    case Kind::Exclude: machine.excluded = true; break;
    case Kind::AddMachine: add_machine(slots_); break;
    case Kind::Protect:
      if (task) task->view.protected_until = now_ + kLongestProtection / (1 + event.second % 10);
      break;
    case Kind::Alarm: deployments_.at(primary_).view.alarmed = true; break;
  }
  std::erase_if(tasks_, [](const SimulatedTask& one) { return one.ticks < 0; });
}

// It stops by itself. Before it runs, and when it runs badly, that is a failure of its deployment.
void ServiceSimulator::fail(SimulatedTask& task) {
  Deployment& deployment = deployments_.at(task.view.deployment);
  if (!task.view.stopping && (!task.view.running || deployment.quality == Quality::Dies)) {
    ++deployment.view.failed_tasks;
    deployment.view.last_failure = now_;
  }
  task.ticks = -1;
}

void ServiceSimulator::heal() {
  healed_ = true;
  now_ += kLongestProtection;
  for (SimulatedMachine& one : machines_) one.disconnected = one.other_tasks = false;
  const int room = 2 * (rules_.desired + static_cast<int>(tasks_.size())) + 2;
  for (int i = 0; i < zones_; ++i) add_machine(room);
  for (auto& [number, one] : deployments_) one.view.alarmed = false;
  update(Quality::Good);
}

ServiceView ServiceSimulator::view() const {
  ServiceView view{.rules = rules_};
  for (auto it = deployments_.rbegin(); it != deployments_.rend(); ++it) {
    const bool target = it->first != primary_ && it->second.view.completed && !view.can_roll_back;
    view.can_roll_back = view.can_roll_back || target;
    if (it->second.inactive && !target) continue;
    view.deployments.push_back(it->second.view);
    view.deployments.back().retired = it->second.inactive;
  }
  std::ranges::stable_partition(view.deployments, &ServiceDeployment::primary);
  std::ranges::stable_partition(view.deployments, [](const ServiceDeployment& one) { return !one.retired; });
  std::set<std::string> zones;
  std::set<model::InstanceId> leaving;
  for (const SimulatedMachine& one : machines_) {
    if (one.draining) leaving.insert(one.id);
    const bool suitable = !one.draining && !one.disconnected && !one.excluded;
    if (suitable) zones.insert(one.zone);
    if (rules_.daemon) view.machines.push_back({one.id, suitable, one.draining, one.other_tasks, one.excluded});
  }
  view.zones.assign(zones.begin(), zones.end());
  for (const SimulatedTask& one : tasks_) {
    view.tasks.push_back(one.view);
    view.tasks.back().leaving = leaving.contains(one.view.machine);
  }
  return view;
}

int ServiceSimulator::used(const model::InstanceId& machine) const {
  return static_cast<int>(
      std::ranges::count_if(tasks_, [&](const SimulatedTask& one) { return one.view.machine == machine; }));
}

SimulatedMachine* ServiceSimulator::find_room(const ServiceStart& wanted) {
  SimulatedMachine* best = nullptr;
  for (SimulatedMachine& one : machines_) {
    if (one.draining || one.disconnected || one.excluded) continue;
    if (wanted.machine && *wanted.machine != one.id) continue;
    if (wanted.zone && *wanted.zone != one.zone) continue;
    if (used(one.id) >= one.slots) continue;
    if (!best || used(one.id) < used(best->id)) best = &one;
  }
  return best;
}

// How many found no machine.
int ServiceSimulator::start(const ServiceStart& wanted) {
  for (int i = 0; i < wanted.count; ++i) {
    SimulatedMachine* machine = find_room(wanted);
    if (!machine) return wanted.count - i;
    const std::uint64_t number = next_task_++;
    SimulatedTask task{.fate = fate(number)};
    task.view = {.id = model::TaskId("t" + std::to_string(10'000 + number)), .deployment = wanted.deployment};
    task.view.machine = machine->id;
    task.view.zone = machine->zone;
    task.view.created_at = now_;
    tasks_.push_back(std::move(task));
    ++actions_;
  }
  return 0;
}

void ServiceSimulator::check_bounds(const ServiceView& before, const ServicePlan& plan) const {
  ServiceView after = before;
  for (const ServiceStop& stop : plan.stops) {
    const auto found = std::ranges::find(after.tasks, stop.task, &ServiceTask::id);
    ASSERT_NE(found, after.tasks.end()) << stop.task.str();
    ASSERT_FALSE(found->stopping) << "stopped twice: " << stop.task.str();
    found->stopping = true;
    // A machine that drains or no longer meets the constraints is a matter of its own for daemons.
    const bool of_rollout = stop.cause != StopCause::Unsuitable;
    const bool is_protected = found->protected_until && *found->protected_until > now_;
    ASSERT_FALSE(of_rollout && is_protected && stop.cause != StopCause::Unhealthy) << stop.task.str();
  }
  std::int64_t desired = before.rules.desired;
  if (before.rules.daemon) desired = std::ranges::count_if(before.machines, &DaemonMachine::suitable);
  const int healthy = count_healthy(before), left = count_healthy(after);
  if (left < healthy) {
    ASSERT_GE(left * 100, desired * before.rules.minimum_percent) << "below the minimum";
  }
  int started = 0;
  for (const ServiceStart& start : plan.starts) started += start.count;
  if (started > 0 && !before.rules.daemon) {
    ASSERT_LE((count_live(after) + started) * 100, desired * before.rules.maximum_percent) << "above the maximum";
  }
}

// A plan that is carried out leaves nothing to do.
void ServiceSimulator::check_repeated(const ServicePlan& plan) const {
  ServiceView after = view();
  for (const ServiceStop& stop : plan.stops) {
    std::ranges::find(after.tasks, stop.task, &ServiceTask::id)->stopping = true;
  }
  int number = 0;
  for (const ServiceStart& start : plan.starts) {
    for (int i = 0; i < start.count; ++i) {
      ServiceTask task{.id = model::TaskId("z" + std::to_string(number++)), .deployment = start.deployment};
      if (start.machine) task.machine = *start.machine;
      if (start.zone) task.zone = *start.zone;
      task.created_at = now_;
      after.tasks.push_back(std::move(task));
    }
  }
  const ServicePlan again = reconcile(after, now_);
  ASSERT_TRUE(again.starts.empty() && again.stops.empty())
      << again.starts.size() << " starts and " << again.stops.size() << " stops follow a plan";
}

void ServiceSimulator::judge(const ServicePlan& plan) {
  if (plan.desired) rules_.desired = *plan.desired;
  Deployment& primary = deployments_.at(primary_);
  if (plan.healthy_again) {
    primary.view.failed_tasks = 0;
    primary.view.last_failure.reset();
  }
  for (std::int64_t number : plan.retired) deployments_.at(number).inactive = true;
  if (plan.verdict == Verdict::None) return;
  primary.view.completed = plan.verdict == Verdict::Completed;
  primary.view.failed = !primary.view.completed;
  if (!plan.roll_back) return;
  for (auto it = deployments_.rbegin(); it != deployments_.rend(); ++it) {
    if (it->first == primary_ || !it->second.view.completed) continue;
    primary.view.primary = false;
    primary_ = it->first;
    it->second.inactive = it->second.view.completed = it->second.view.failed = false;
    it->second.view.primary = true;
    it->second.view.failed_tasks = 0;
    return;
  }
}

// False: nothing was done.
bool ServiceSimulator::carry_out(const ServicePlan& plan) {
  const int before = actions_;
  for (const ServiceStop& stop : plan.stops) {
    const auto found = std::ranges::find(
        tasks_, stop.task, [](const SimulatedTask& one) -> const auto& { return one.view.id; });
    found->view.stopping = true;
    found->ticks = 0;
    ++actions_;
  }
  for (const ServiceStart& wanted : plan.starts) {
    if (start(wanted) < wanted.count) deployments_.at(wanted.deployment).inactive = false;
  }
  return actions_ != before;
}

// Tries the starts, and takes them back.
int ServiceSimulator::count_blocked(const ServicePlan& plan) {
  const std::size_t tasks = tasks_.size();
  const std::uint64_t next_task = next_task_;
  const int actions = actions_;
  int blocked = 0;
  for (const ServiceStart& wanted : plan.starts) {
    const int unplaced = start(wanted);
    if (wanted.deployment == primary_) blocked += unplaced;
  }
  tasks_.resize(tasks);
  next_task_ = next_task;
  actions_ = actions;
  return blocked;
}

void ServiceSimulator::reconcile_now() {
  for (int round = 0; round < kMostRounds; ++round) {
    ServiceView seen = view();
    const ServicePlan verdict = reconcile(seen, now_);
    judge(verdict);
    last_ = verdict;
    if (verdict.verdict != Verdict::None || verdict.healthy_again || verdict.desired) continue;
    ServicePlan plan = reconciler_(seen, now_);
    check_bounds(seen, plan);
    if (testing::Test::HasFatalFailure()) return;
    if (plan.stops.empty() && plan.starts.empty()) return;
    if (!rules_.daemon) check_repeated(plan);
    if (testing::Test::HasFatalFailure()) return;
    // The caller's way: what finds no machine is blocked, and the plan is made again before anything is written.
    seen.blocked = count_blocked(plan);
    if (seen.blocked > 0) {
      plan = reconciler_(seen, now_);
      check_bounds(seen, plan);
      if (testing::Test::HasFatalFailure()) return;
    }
    if (!carry_out(plan)) return;
  }
  FAIL() << "plans without end";
}

void ServiceSimulator::advance(SimulatedTask& task) {
  const Deployment& deployment = deployments_.at(task.view.deployment);
  const Quality quality = healed_ && deployment.view.primary ? Quality::Good : deployment.quality;
  const int patience = 1 + static_cast<int>(task.fate % 3) + (quality == Quality::Slow ? 3 : 0);
  if (++task.ticks < patience) return;
  if (task.view.stopping) {
    task.ticks = -1;
  } else if (!task.view.running) {
    task.ticks = 0;
    if (quality == Quality::FailsToStart) return fail(task);
    task.view.running = true;
    task.view.started_at = now_;
    task.view.health = health_checks_ ? TaskHealth::Unknown : TaskHealth::NotChecked;
  } else if (quality == Quality::Dies) {
    fail(task);
  } else if (task.view.health == TaskHealth::Unknown) {
    task.view.health = quality == Quality::Unhealthy ? TaskHealth::Unhealthy : TaskHealth::Healthy;
  }
}

void ServiceSimulator::tick(base::Duration step) {
  reconcile_now();
  now_ += step;
  for (SimulatedTask& one : tasks_) advance(one);
  std::erase_if(tasks_, [](const SimulatedTask& one) { return one.ticks < 0; });
}

bool ServiceSimulator::in_flight() const {
  return std::ranges::any_of(tasks_, [](const SimulatedTask& one) {
    return one.view.stopping || !one.view.running || one.view.health == TaskHealth::Unknown;
  });
}

std::map<std::int64_t, int> ServiceSimulator::counts() const {
  std::map<std::int64_t, int> counts;
  for (const SimulatedTask& one : tasks_) {
    if (!one.view.stopping) ++counts[one.view.deployment];
  }
  return counts;
}

std::string text_of(const ServiceView& view) {
  std::string text = "desired " + std::to_string(view.rules.desired) + ", " +
                     std::to_string(view.rules.minimum_percent) + "/" + std::to_string(view.rules.maximum_percent) +
                     "\n";
  for (const ServiceDeployment& one : view.deployments) {
    text += std::to_string(one.number) + (one.primary ? " PRIMARY" : "") + (one.completed ? " completed" : "") +
            (one.failed ? " failed" : "") + ", failures " + std::to_string(one.failed_tasks) + "\n";
  }
  for (const ServiceTask& one : view.tasks) {
    static constexpr const char* kHealth[] = {"-", "unknown", "healthy", "unhealthy"};
    text += one.id.str() + " of " + std::to_string(one.deployment) + " on " + one.machine.str() +
            (one.stopping  ? " stopping "
             : one.running ? " running "
                           : " pending ") +
            kHealth[static_cast<int>(one.health)] + (one.leaving ? " leaving" : "") +
            (one.protected_until ? " protected once" : "") + "\n";
  }
  return text;
}

}  // namespace scheduler::sim
