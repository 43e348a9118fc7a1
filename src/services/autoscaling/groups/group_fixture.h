// SPDX-License-Identifier: Apache-2.0
// Test support: Auto Scaling on a database of its own, with the parts of EC2, ECS, SQS and EventBridge that it invokes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/module.h"
#include "services/directory.h"
#include "services/metric_interest.h"
#include "shapes/autoscaling/activity.h"
#include "shapes/autoscaling/instance.h"
#include "shapes/ec2/instance.h"
#include "shapes/ec2/instance_status.h"
#include "shapes/ec2/launch_template.h"
#include "shapes/ec2/subnet.h"
#include "shapes/ec2/tag.h"
#include "shapes/ec2/zone.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/held_messages.h"
#include "shapes/stoker/machine.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::autoscaling {

namespace ec2 = shapes::ec2;

// In Locals, where the fake operations find it.
struct FakeServices {
  std::string launch_error;             // of RunInstances; "": it succeeds
  std::set<std::string> unknown_types;  // that RunInstances rejects
  std::set<std::string> impaired;       // instances
  int launched = 0;
  std::int64_t template_version = 1;  // the default one
  std::vector<ec2::RunInstancesRequest> launches;
  std::vector<std::pair<std::string, std::string>> messages;  // queue and body
  std::vector<std::string> events;                            // detail types
  std::vector<shapes::stoker::MachineTerminating> drains;
  std::map<std::string, std::string> held;  // queues of messages in flight, by the access key that holds one
};

inline std::string tag_value(const std::vector<ec2::Tag>& tags, const std::string& key) {
  for (const auto& tag : tags) {
    if (tag.Key == key) return tag.Value.value_or("");
  }
  return "";
}

inline ec2::Reservation fake_run_instances(Call& call, const ec2::RunInstancesRequest& request) {
  FakeServices& fake = call.local<FakeServices>();
  const std::string type = request.InstanceType.value_or("g4dn.xlarge");
  if (!fake.launch_error.empty()) throw wire::ApiError("InsufficientInstanceCapacity", fake.launch_error);
  if (fake.unknown_types.contains(type)) throw wire::ApiError("InvalidParameterValue", "Invalid value '" + type + "'.");
  fake.launches.push_back(request);
  state::Ec2Instance row;
  row.id = "i-" + std::to_string(1000 + ++fake.launched);
  row.account = call.caller.account;
  row.region = call.caller.region;
  row.zone = request.Placement ? *request.Placement->AvailabilityZone : "us-east-1b";
  row.type = type;
  row.group = tag_value(*request.TagSpecifications->at(0).Tags, "aws:autoscaling:groupName");
  row.launched_at = row.changed_at = call.now;
  state::insert_ec2_instance(call.tx, row);
  ec2::Instance instance;
  instance.InstanceId = row.id;
  instance.InstanceType = type;
  instance.ImageId = request.ImageId.value_or("ami-1");
  instance.Placement.emplace();
  instance.Placement->AvailabilityZone = row.zone;
  ec2::Reservation reservation;
  reservation.Instances = {{instance}};
  return reservation;
}

inline ec2::TerminateInstancesResult fake_terminate_instances(Call& call,
                                                              const ec2::TerminateInstancesRequest& request) {
  for (const std::string& id : request.InstanceIds) {
    auto row = state::find_ec2_instance(call.tx, id);
    if (!row || row->state == state::Ec2State::Terminated) continue;
    row->state = state::Ec2State::ShuttingDown;
    state::update_ec2_instance(call.tx, *row);
  }
  return {};
}

using TemplateRequest = ec2::DescribeLaunchTemplateVersionsRequest;
inline ec2::DescribeLaunchTemplateVersionsResult fake_template_versions(Call& call, const TemplateRequest& request) {
  if (request.LaunchTemplateId != "lt-1" && request.LaunchTemplateName != "gpu") {
    throw wire::ApiError("InvalidLaunchTemplateId.NotFoundException", "There is no such launch template.");
  }
  const std::string version = request.Versions->at(0);
  ec2::LaunchTemplateVersion found;
  found.LaunchTemplateId = "lt-1";
  found.LaunchTemplateName = "gpu";
  found.VersionNumber = version.starts_with("$") ? call.local<FakeServices>().template_version : std::stoll(version);
  ec2::DescribeLaunchTemplateVersionsResult result;
  result.LaunchTemplateVersions = {{found}};
  return result;
}

inline ec2::DescribeSubnetsResult fake_subnets(Call&, const ec2::DescribeSubnetsRequest& request) {
  ec2::DescribeSubnetsResult result;
  result.Subnets.emplace();
  for (const std::string& id : *request.SubnetIds) {
    if (!id.starts_with("subnet-"))
      throw wire::ApiError("InvalidSubnetID.NotFound", "The subnet ID '" + id + "' does not exist");
    ec2::Subnet subnet;
    subnet.SubnetId = id;
    subnet.AvailabilityZone = "us-east-1" + id.substr(7);  // subnet-b
    result.Subnets->push_back(subnet);
  }
  return result;
}

inline ec2::DescribeAvailabilityZonesResult fake_zones(Call&, const ec2::DescribeAvailabilityZonesRequest& request) {
  for (const std::string& name : request.ZoneNames.value_or(std::vector<std::string>())) {
    if (!name.starts_with("us-east-1"))
      throw wire::ApiError("InvalidParameterValue", "Invalid availability zone: [" + name + "]");
  }
  return {};
}

inline ec2::DescribeInstanceStatusResult fake_statuses(Call& call, const ec2::DescribeInstanceStatusRequest& request) {
  ec2::DescribeInstanceStatusResult result;
  result.InstanceStatuses.emplace();
  for (const std::string& id : *request.InstanceIds) {
    struct ec2::InstanceStatus status;
    status.InstanceId = id;
    status.InstanceStatus.emplace();
    status.InstanceStatus->Status = call.local<FakeServices>().impaired.contains(id) ? "impaired" : "ok";
    result.InstanceStatuses->push_back(status);
  }
  return result;
}

inline void set_fake_group(Call& call, const std::string& id, const std::string& group) {
  auto row = state::find_ec2_instance(call.tx, id);
  row->group = group;
  state::update_ec2_instance(call.tx, *row);
}
inline void fake_create_tags(Call& call, const ec2::CreateTagsRequest& request) {
  set_fake_group(call, request.Resources.at(0), tag_value(request.Tags, "aws:autoscaling:groupName"));
}
inline void fake_delete_tags(Call& call, const ec2::DeleteTagsRequest& request) {
  set_fake_group(call, request.Resources.at(0), "");
}

inline void fake_machine_terminating(Call& call, const shapes::stoker::MachineTerminating& message) {
  call.local<FakeServices>().drains.push_back(message);
}
inline shapes::stoker::CountHeldMessagesResult fake_held(Call& call, const shapes::stoker::CountHeldMessages& request) {
  shapes::stoker::CountHeldMessagesResult result;
  for (const std::string& key : request.accessKeys) {
    const auto& held = call.local<FakeServices>().held;
    if (const auto found = held.find(key); found != held.end()) result.queues.push_back({found->second, 1});
  }
  return result;
}
inline shapes::sqs::SendMessageResult fake_queue(Call& call, const shapes::sqs::SendMessageRequest& request) {
  if (request.QueueUrl.ends_with("missing")) throw wire::ApiError("QueueDoesNotExist", "There is no such queue.");
  call.local<FakeServices>().messages.emplace_back(request.QueueUrl, request.MessageBody);
  return {};
}
inline shapes::events::PutEventsResponse fake_put_events(Call& call, const shapes::events::PutEventsRequest& request) {
  for (const auto& entry : request.Entries) call.local<FakeServices>().events.push_back(entry.DetailType.value_or(""));
  return {};
}
inline shapes::events::ListRulesResponse fake_list_rules(Call&, const shapes::events::ListRulesRequest&) {
  shapes::events::ListRulesResponse response;
  response.Rules.emplace(1);
  return response;
}

class GroupTest : public testing::Test {
 protected:
  GroupTest() : folder_(testing::TempDir() + "autoscaling-" + base::random_uuid()) {
    directory_.add("ec2", {operation<&fake_run_instances>("RunInstances", Access::Write),
                           operation<&fake_terminate_instances>("TerminateInstances", Access::Write),
                           operation<&fake_template_versions>("DescribeLaunchTemplateVersions", Access::Read),
                           operation<&fake_subnets>("DescribeSubnets", Access::Read),
                           operation<&fake_zones>("DescribeAvailabilityZones", Access::Read),
                           operation<&fake_statuses>("DescribeInstanceStatus", Access::Read),
                           operation<&fake_create_tags>("CreateTags", Access::Write),
                           operation<&fake_delete_tags>("DeleteTags", Access::Write)});
    directory_.add("ecs", {operation<&fake_machine_terminating>("MachineTerminating", Access::Write)});
    directory_.add("sqs", {operation<&fake_queue>("SendMessage", Access::Write),
                           operation<&fake_held>("CountHeldMessages", Access::Read)});
    directory_.add("events", {operation<&fake_put_events>("PutEvents", Access::Write),
                              operation<&fake_list_rules>("ListOneEnabledRule", Access::Read)});
    store_ = store::open_test_store(
        folder_, {state::cluster_migrations(), state::ec2_instance_migrations(), module_.migrations});
    module_.add_memory(locals_);
    locals_.add<FakeServices>();
    locals_.add<MetricInterest>();
  }
  ~GroupTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  FakeServices& fake() { return locals_.get<FakeServices>(); }

  template <class Fn>
  void with_call(Fn&& fn) {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      fn(call);
      wakes_ = call.wakes;
    });
  }

  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    std::vector<Operation> rows = module_.service.operations;
    rows.insert(rows.end(), module_.internal_operations.begin(), module_.internal_operations.end());
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Operation& one) { return one.wire.name == name; });
    CHECK(row != rows.end() && row->wire.input == &wire::type_of<Input>()) << name;
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
  bool woke(std::string_view topic) const {
    return std::any_of(wakes_.begin(), wakes_.end(), [&](const Wake& wake) { return wake.topic == topic; });
  }

  // Turns of the loop until nothing is left to do now.
  void settle() {
    for (int i = 0; i < 50; ++i) {
      Decision decision;
      store_->read_now([&](store::Tx& tx) {
        Call call{tx, nobody_, now_, now_, &locals_, &directory_};
        decision = module_.loops.front().look(call);
      });
      next_ = decision.next;
      if (!decision.apply) return;
      with_call(decision.apply);
    }
    ADD_FAILURE() << "the groups' loop does not come to rest";
  }
  void advance(base::Duration by) {
    now_ += by;
    settle();
  }

  // The machine of an instance, as EC2 reports it.
  void set_machine(const std::string& id, state::Ec2State to, const std::string& reason = "") {
    std::string group;
    with_call([&](Call& call) {
      auto row = state::find_ec2_instance(call.tx, id);
      group = row->group;
      row->state = to;
      state::update_ec2_instance(call.tx, *row);
    });
    run<void>("InstanceChanged", shapes::stoker::InstanceChanged{id, group, reason});
    EXPECT_TRUE(woke(kGroupsTopic));
    settle();
  }
  void start(const std::string& id) { set_machine(id, state::Ec2State::Running); }
  void stop(const std::string& id) { set_machine(id, state::Ec2State::Terminated); }

  shapes::autoscaling::CreateAutoScalingGroupType group_request(std::int32_t min, std::int32_t max) const {
    shapes::autoscaling::CreateAutoScalingGroupType request;
    request.AutoScalingGroupName = "workers";
    request.LaunchTemplate.emplace();
    request.LaunchTemplate->LaunchTemplateName = "gpu";
    request.AvailabilityZones = {{"us-east-1a"}};
    request.MinSize = min;
    request.MaxSize = max;
    return request;
  }
  void create(std::int32_t min, std::int32_t max) { run<void>("CreateAutoScalingGroup", group_request(min, max)); }
  // Instances i-1001 and so on, in service.
  void create_running(std::int32_t min, std::int32_t max, std::int32_t desired) {
    auto request = group_request(min, max);
    request.DesiredCapacity = desired;
    run<void>("CreateAutoScalingGroup", request);
    settle();
    for (const auto& one : instances()) start(one.InstanceId);
  }
  void set_capacity(std::int32_t desired) {
    run<void>("SetDesiredCapacity", shapes::autoscaling::SetDesiredCapacityType{.AutoScalingGroupName = "workers",
                                                                                .DesiredCapacity = desired});
    settle();
  }

  shapes::autoscaling::AutoScalingGroup shown() {
    auto found = run<shapes::autoscaling::AutoScalingGroupsType>("DescribeAutoScalingGroups",
                                                                 shapes::autoscaling::AutoScalingGroupNamesType());
    CHECK(found.AutoScalingGroups.size() == 1) << "groups";
    return found.AutoScalingGroups.front();
  }
  std::vector<shapes::autoscaling::Instance> instances() { return *shown().Instances; }
  // "i-1001 InService Healthy"
  std::vector<std::string> states() {
    std::vector<std::string> out;
    for (const auto& one : instances())
      out.push_back(one.InstanceId + " " + one.LifecycleState + " " + one.HealthStatus);
    return out;
  }
  std::vector<shapes::autoscaling::Activity> activities(bool deleted = false) {
    shapes::autoscaling::DescribeScalingActivitiesType request;
    request.IncludeDeletedGroups = deleted;
    return run<shapes::autoscaling::ActivitiesType>("DescribeScalingActivities", request).Activities;
  }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Module module_ = module({});
  Locals locals_;
  Directory directory_;
  const Caller nobody_;
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
  std::optional<base::Time> next_;
};

}  // namespace services::autoscaling
