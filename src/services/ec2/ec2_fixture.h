// SPDX-License-Identifier: Apache-2.0
// Test support: EC2's operations on a database of their own, with Auto Scaling, ECS and EventBridge that record what
// they receive, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/random.h"
#include "services/directory.h"
#include "services/ec2/module.h"
#include "services/invoke.h"
#include "shapes/ec2/instance.h"
#include "shapes/ec2/instance_attribute.h"
#include "shapes/ec2/instance_status.h"
#include "shapes/ec2/launch_template.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "shapes/stoker/machine.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::ec2 {

using namespace shapes::ec2;

// In Locals, where the fake operations find it.
struct Received {
  std::vector<shapes::stoker::InstanceChanged> changes;
  std::vector<std::string> terminated;  // ids, at ECS
  std::vector<std::string> events;      // details
  std::vector<std::string> accounts;    // for which ECS was called
};

inline void fake_instance_changed(Call& call, const shapes::stoker::InstanceChanged& message) {
  call.local<Received>().changes.push_back(message);
}

inline void fake_machine_terminated(Call& call, const shapes::stoker::MachineTerminated& message) {
  call.local<Received>().terminated.push_back(message.instanceId);
  call.local<Received>().accounts.push_back(call.caller.account + "/" + call.caller.region);
}

inline shapes::events::ListRulesResponse fake_one_rule(Call&, const shapes::events::ListRulesRequest&) {
  shapes::events::ListRulesResponse response;
  response.Rules.emplace(1);
  return response;
}

inline shapes::events::PutEventsResponse fake_put_events(Call& call, const shapes::events::PutEventsRequest& request) {
  for (const auto& entry : request.Entries) call.local<Received>().events.push_back(entry.Detail.value_or(""));
  return {};
}

class Ec2Test : public testing::Test {
 protected:
  Ec2Test() : folder_(testing::TempDir() + "ec2-" + base::random_uuid()) {
    store_ = store::open_test_store(
        folder_, {state::cluster_migrations(), state::ec2_instance_migrations(), module_.migrations});
    locals_.add<Received>();
    module_.add_memory(locals_);
    directory_.add("autoscaling", {operation<&fake_instance_changed>("InstanceChanged", Access::Write)});
    directory_.add("ecs", {operation<&fake_machine_terminated>("MachineTerminated", Access::Write)});
    directory_.add("events", {operation<&fake_one_rule>("ListOneEnabledRule", Access::Read),
                              operation<&fake_put_events>("PutEvents", Access::Write)});
  }
  ~Ec2Test() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  template <class Fn>
  void with_call(Fn&& fn) {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      fn(call);
      wakes_ = call.wakes;
    });
  }

  // An operation by its name, internal ones too.
  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    const Operation* row = nullptr;
    for (const auto* rows : {&module_.service.operations, &module_.internal_operations}) {
      for (const Operation& one : *rows) row = one.wire.name == name ? &one : row;
    }
    CHECK(row && row->wire.input == &wire::type_of<Input>()) << name;
    Erased output = detail::nothing();
    with_call([&](Call& call) { output = row->run(call, &input); });
    if constexpr (!std::is_void_v<Output>) return std::move(*static_cast<Output*>(output.get()));
  }

  template <class Fn>
  std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }

  RunInstancesRequest launch_request(int count = 1) const {
    RunInstancesRequest request;
    request.ImageId = "ami-0123456789abcdef0";
    request.InstanceType = "g4dn.xlarge";
    request.MinCount = request.MaxCount = count;
    return request;
  }
  Instance launch_one() { return launch(launch_request()).Instances->front(); }
  Reservation launch(const RunInstancesRequest& request) { return run<Reservation>("RunInstances", request); }
  // As Auto Scaling does it.
  std::string launch_in_group(const std::string& group) {
    RunInstancesRequest request = launch_request();
    request.TagSpecifications = {{{"instance", {{{"aws:autoscaling:groupName", group}}}}}};
    caller_.service = "autoscaling.amazonaws.com";
    const std::string id = *launch(request).Instances->front().InstanceId;
    caller_.service = "";
    return id;
  }
  void report(const std::string& id, const std::string& event, const std::string& machine = "",
              const std::string& reason = "") {
    run<void>("ReportMachine", shapes::stoker::ReportMachine{id, event, machine, reason});
  }
  void terminate(const std::string& id) {
    run<TerminateInstancesResult>("TerminateInstances", TerminateInstancesRequest{.InstanceIds = {id}});
  }
  state::Ec2Instance row(const std::string& id) {
    std::optional<state::Ec2Instance> found;
    store_->read_now([&](store::Tx& tx) { found = state::find_ec2_instance(tx, id); });
    CHECK(found) << id;
    return *found;
  }
  std::string state_of(const std::string& id) { return std::string(text(row(id).state)); }
  Instance describe_one(const std::string& id) {
    DescribeInstancesRequest request;
    request.InstanceIds = {{id}};
    return run<DescribeInstancesResult>("DescribeInstances", request).Reservations->front().Instances->front();
  }
  bool woke(std::string_view topic) const {
    return std::any_of(wakes_.begin(), wakes_.end(), [&](const Wake& wake) { return wake.topic == topic; });
  }
  // One turn of the loop. When the next is due.
  std::optional<base::Time> take_turn() {
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_, &directory_};
      decision = module_.loops.front().look(call);
    });
    if (decision.apply) with_call(decision.apply);
    return decision.next;
  }
  Received& received() { return locals_.get<Received>(); }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Module module_ = module({});
  Locals locals_;
  Directory directory_;
  const Caller nobody_;
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
};

}  // namespace services::ec2
