// SPDX-License-Identifier: Apache-2.0
// A service on simulated machines: carries out plans, and lets tasks start, fail, become healthy and stop as time goes
// by. Everything follows from the script, so that two reconcilers meet the same fate.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "scheduler/reconcile.h"

namespace scheduler::sim {

using Reconciler = std::function<ServicePlan(const ServiceView&, base::Time)>;

// What becomes of a deployment's tasks.
enum class Quality { Good, FailsToStart, Dies, Unhealthy, Slow };

struct Event {
  enum class Kind {
    Wait,
    Update,
    Scale,
    Bounds,
    KillTask,
    FailHealth,
    KillMachine,
    Drain,
    Activate,
    Disconnect,
    Exclude,
    AddMachine,
    Protect,
    Alarm
  };
  Kind kind = Kind::Wait;
  std::uint32_t first = 0, second = 0;
};

struct Script {
  std::uint64_t seed = 0;
  ServiceRules rules = {};
  bool health_checks = false;
  int machines = 1, slots = 1, zones = 1;
  std::vector<Event> events = {};
};

struct SimulatedMachine {
  model::InstanceId id;
  std::string zone;
  int slots = 1;
  bool draining = false, disconnected = false, excluded = false, other_tasks = false;
};

struct SimulatedTask {
  ServiceTask view = {};
  int ticks = 0;  // since its last change
  std::uint32_t fate = 0;
};

// For messages of failed tests.
std::string text_of(const ServiceView& view);

class ServiceSimulator {
 public:
  ServiceSimulator(const Script& script, Reconciler reconciler);

  void play(const Event& event);
  // Reconciles until nothing more is done now, then lets one tick of time go by.
  void tick(base::Duration step);
  // From now on tasks start, are healthy, and find room.
  void heal();

  ServiceView view() const;
  base::Time now() const { return now_; }
  const ServicePlan& last_plan() const { return last_; }
  bool in_flight() const;
  // Tasks that do not stop, by deployment.
  std::map<std::int64_t, int> counts() const;
  std::int64_t primary() const { return primary_; }
  int actions() const { return actions_; }

 private:
  struct Deployment {
    ServiceDeployment view;
    Quality quality = Quality::Good;
    bool inactive = false;
  };

  void update(Quality quality);
  void reconcile_now();
  bool carry_out(const ServicePlan& plan);
  int count_blocked(const ServicePlan& plan);
  void check_bounds(const ServiceView& before, const ServicePlan& plan) const;
  void check_repeated(const ServicePlan& plan) const;
  void judge(const ServicePlan& plan);
  int start(const ServiceStart& wanted);
  SimulatedMachine* find_room(const ServiceStart& wanted);
  int used(const model::InstanceId& machine) const;
  void advance(SimulatedTask& task);
  void fail(SimulatedTask& task);
  SimulatedMachine& machine_at(std::uint32_t index) { return machines_[index % machines_.size()]; }
  SimulatedTask* task_at(std::uint32_t index);
  void add_machine(int slots);
  std::uint32_t fate(std::uint64_t number) const;

  const std::uint64_t seed_;
  const Reconciler reconciler_;
  const bool health_checks_;
  ServiceRules rules_;
  base::Time now_ = base::from_seconds(1'700'000'000);
  std::vector<SimulatedMachine> machines_;
  std::vector<SimulatedTask> tasks_;
  std::map<std::int64_t, Deployment> deployments_;
  std::int64_t primary_ = 0, next_deployment_ = 1;
  std::uint64_t next_task_ = 1;
  int zones_ = 1, slots_ = 1, actions_ = 0;
  bool healed_ = false;
  ServicePlan last_;
};

}  // namespace scheduler::sim
