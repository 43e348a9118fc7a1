// SPDX-License-Identifier: Apache-2.0
// Test support: services on machines, and the loop that reconciles them.
#pragma once

#include "services/directory.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/reconciliation/service_loop.h"
#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

class ReconciliationTest : public MachinesTest {
 protected:
  static constexpr base::Duration kProven = scheduler::kProvenAfter;

  Decision look() {
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_, &directory_};
      decision = loop_.look(call);
    });
    ++looks_;
    return decision;
  }
  void apply(const Decision& decision) {
    if (!decision.apply) return;
    with_call([&](Call& call) {
      call.directory = &directory_;
      decision.apply(call);
    });
    loop_wakes_.insert(wakes_.begin(), wakes_.end());
  }
  // Until there is nothing to do now. Keeps what was woken in loop_wakes_, and when the loop looks again in next_.
  void settle() {
    constexpr int kMaxTurns = 200;
    loop_wakes_.clear();
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      const Decision decision = look();
      apply(decision);
      next_ = decision.next;
      if (!decision.apply && (!next_ || *next_ > now_)) return;
    }
    FAIL() << "the loop does not come to rest";
  }
  // With time passing, as far as the loop wants to look again within this time.
  void settle_for(base::Duration time) {
    const base::Time end = now_ + time;
    settle();
    while (next_ && *next_ <= end) {
      now_ = *next_;
      settle();
    }
    now_ = end;
    settle();
  }

  shapes::ecs::Service create(const std::string& json) {
    auto service = *run_json(&create_service, json).service;
    settle();
    return service;
  }
  shapes::ecs::Service update(const std::string& json) {
    auto service = *run_json(&update_service, json).service;
    settle();
    return service;
  }
  shapes::ecs::Service describe_service(const std::string& name) {
    return run_json(&describe_services, R"({"services":[")" + name + "\"]}").services->at(0);
  }
  // Messages without "(service NAME) ", newest first.
  std::vector<std::string> events(const std::string& name) {
    std::vector<std::string> messages;
    const shapes::ecs::Service service = describe_service(name);
    for (const shapes::ecs::ServiceEvent& event : *service.events) {
      messages.push_back(event.message->substr(name.size() + std::string("(service ) ").size()));
    }
    return messages;
  }
  std::string last_event(const std::string& name) {
    const auto all = events(name);
    return all.empty() ? "" : all.front();
  }
  // Tasks that have not stopped, oldest first.
  std::vector<state::ServiceTask> tasks(const std::string& name) {
    std::vector<state::ServiceTask> found;
    with_call([&](Call& call) {
      const auto cluster = find_cluster(call, std::nullopt);
      const auto service = state::find_service(call.tx, cluster.number, name);
      found = state::list_service_tasks(call.tx, service->number);
    });
    return found;
  }
  // The same without those that are stopping.
  std::vector<state::ServiceTask> wanted_tasks(const std::string& name) {
    auto all = tasks(name);
    std::erase_if(all, [](const state::Task& task) { return task.desired == model::DesiredStatus::Stopped; });
    return all;
  }
  void report_status(const model::TaskId& task, const std::string& status, const std::string& more = "") {
    run_json(&submit_task_state_change, R"({"task":")" + task.str() + R"(","status":")" + status + "\"" + more + "}");
  }
  // What agents do with all tasks: new ones run, those that are to stop have stopped.
  void obey(const std::string& name) {
    for (const state::ServiceTask& task : tasks(name)) {
      if (task.desired == model::DesiredStatus::Stopped) {
        report_status(task.id, "STOPPED");
      } else if (task.known != model::TaskStatus::Running) {
        report_status(task.id, "RUNNING");
      }
    }
  }
  // Agents and the loop by turns, until all is quiet for as long as a task needs to prove itself.
  void run_until_quiet(const std::string& name) {
    settle();
    for (int turn = 0; turn < 50; ++turn) {
      const auto before = versions(name);
      obey(name);
      settle_for(kProven);
      if (versions(name) == before) return;
    }
    FAIL() << "the service does not come to rest";
  }
  ServiceVersions versions(const std::string& name) {
    ServiceVersions versions;
    with_call([&](Call& call) {
      const auto cluster = find_cluster(call, std::nullopt);
      const auto service = state::find_service(call.tx, cluster.number, name);
      if (const auto rows = read_service(call.tx, service->number)) versions = rows->versions();
    });
    return versions;
  }
  void set_status(const std::string& machine, const std::string& status) {
    run_json(&update_container_instances_state,
             R"({"containerInstances":[")" + machine + R"("],"status":")" + status + "\"}");
  }
  static std::string wake_of(const std::string& machine) { return state::instance_topic(model::InstanceId(machine)); }

  const Caller nobody_ = {};
  Directory directory_;
  Loop loop_ = service_loop();
  std::set<std::string> loop_wakes_;
  std::optional<base::Time> next_;
  int looks_ = 0;
};

}  // namespace services::ecs
