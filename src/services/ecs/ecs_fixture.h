// SPDX-License-Identifier: Apache-2.0
// Test support: ECS handlers on their own database, at a time that the test chooses.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/random.h"
#include "services/ecs/account_setting_operations.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/provider_operations.h"
#include "services/ecs/clusters/cluster_operations.h"
#include "services/ecs/definitions/definition_operations.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/instance_operations.h"
#include "services/ecs/module.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/tag_operations.h"
#include "services/ecs/tasks/live_pulls.h"
#include "services/ecs/tasks/task_operations.h"
#include "services/shape_json.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "state/exec_session.h"
#include "state/keys.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::ecs {

class EcsTest : public testing::Test {
 protected:
  EcsTest() : folder_(testing::TempDir() + "ecs-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {state::key_migrations(), state::cluster_migrations(),
                                               state::ec2_instance_migrations(), state::exec_session_migrations(),
                                               module({}).migrations});
  }
  ~EcsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Runs a handler in a transaction.
  template <class Out, class In>
  Out run(Out (*handler)(Call&, const In&), const In& request) {
    Out out;
    with_call([&](Call& call) { out = handler(call, request); });
    return out;
  }
  // Keeps what it woke in wakes_.
  template <class Use>
  void with_call(Use use) {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, calls_};
      use(call);
      wakes_.clear();
      for (const Wake& wake : call.wakes) wakes_.insert(wake.topic);
    });
  }
  // The same with a request in JSON, as clients write it: run_json(&create_cluster, R"({})").
  template <class Out, class In>
  Out run_json(Out (*handler)(Call&, const In&), std::string_view json) {
    return run(handler, from_json<In>(json));
  }
  // "Code: message", or "" where nothing is thrown.
  template <class Out, class In>
  std::string error_of(Out (*handler)(Call&, const In&), std::string_view json) {
    try {
      run_json(handler, json);
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }

  TaskDefinition register_json(std::string_view json) {
    return *run_json(&register_task_definition, json).taskDefinition;
  }
  std::string register_error(std::string_view json) { return error_of(&register_task_definition, json); }
  // A definition of family "f" with one container, which has these members too.
  static std::string with_container(const std::string& members, const std::string& task = "") {
    return R"({"family":"f",)" + (task.empty() ? "" : task + ",") +
           R"("containerDefinitions":[{"name":"c","image":"busybox","memory":16)" +
           (members.empty() ? "" : "," + members) + "}]}";
  }
  void register_family(const std::string& family) {
    register_json(R"({"family":")" + family +
                  R"(","containerDefinitions":[{"name":"c","image":"busybox","memory":16}]})");
  }

  const Directory* calls_ = nullptr;  // what handlers may invoke
  std::string folder_;
  std::set<std::string> wakes_;  // topics that the last call woke
  Locals locals_;
  CapacityIndex& capacity_index_ = locals_.add<CapacityIndex>();
  Fleets& fleets_ = locals_.add<Fleets>();
  LivePulls& live_pulls_ = locals_.add<LivePulls>();
  ServiceQueue& service_queue_ = locals_.add<ServiceQueue>();
  std::unique_ptr<store::Store> store_;
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
};

}  // namespace services::ecs
