// SPDX-License-Identifier: Apache-2.0
// Test support: capacity providers with groups and instances that record what ECS does with them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/ecs/capacity/capacity_loop.h"
#include "services/ecs/capacity/machine_life.h"
#include "services/ecs/capacity/provider_operations.h"
#include "services/ecs/reconciliation/reconciliation_fixture.h"
#include "shapes/autoscaling/group.h"
#include "shapes/autoscaling/instance.h"
#include "shapes/autoscaling/lifecycle_hook.h"
#include "shapes/autoscaling/policy.h"
#include "shapes/autoscaling/tag.h"
#include "state/ec2_instance.h"

namespace services::ecs {

namespace asg_fake {

namespace asg = shapes::autoscaling;

// In Locals, where the fake operations find it.
struct FakeScaling {
  std::map<std::string, asg::AutoScalingGroup> groups;
  std::map<std::string, asg::PutScalingPolicyType> policies;
  std::map<std::string, asg::PutLifecycleHookType> hooks;  // by group
  std::map<std::string, asg::Tag> tags;                    // by group
  std::vector<std::pair<std::string, bool>> protections;
  std::vector<std::string> completed, extended;  // instances
  std::vector<std::string> joined;
};

inline asg::AutoScalingGroupsType describe_groups(Call& call, const asg::AutoScalingGroupNamesType& request) {
  asg::AutoScalingGroupsType answer;
  FakeScaling& fake = call.local<FakeScaling>();
  for (const std::string& name : *request.AutoScalingGroupNames) {
    if (fake.groups.contains(name)) answer.AutoScalingGroups.push_back(fake.groups.at(name));
  }
  return answer;
}
inline asg::PolicyARNType put_policy(Call& call, const asg::PutScalingPolicyType& request) {
  call.local<FakeScaling>().policies[request.PolicyName] = request;
  return {};
}
inline void delete_policy(Call& call, const asg::DeletePolicyType& request) {
  call.local<FakeScaling>().policies.erase(request.PolicyName);
}
inline asg::PutLifecycleHookAnswer put_hook(Call& call, const asg::PutLifecycleHookType& request) {
  call.local<FakeScaling>().hooks[request.AutoScalingGroupName] = request;
  return {};
}
inline asg::DeleteLifecycleHookAnswer delete_hook(Call& call, const asg::DeleteLifecycleHookType& request) {
  call.local<FakeScaling>().hooks.erase(request.AutoScalingGroupName);
  return {};
}
inline void put_tags(Call& call, const asg::CreateOrUpdateTagsType& request) {
  for (const asg::Tag& tag : request.Tags) call.local<FakeScaling>().tags[*tag.ResourceId] = tag;
}
inline void delete_tags(Call& call, const asg::DeleteTagsType& request) {
  for (const asg::Tag& tag : request.Tags) call.local<FakeScaling>().tags.erase(*tag.ResourceId);
}
inline asg::SetInstanceProtectionAnswer protect(Call& call, const asg::SetInstanceProtectionQuery& request) {
  for (const std::string& id : request.InstanceIds) {
    call.local<FakeScaling>().protections.emplace_back(id, request.ProtectedFromScaleIn);
  }
  return {};
}
inline asg::CompleteLifecycleActionAnswer complete(Call& call, const asg::CompleteLifecycleActionType& request) {
  call.local<FakeScaling>().completed.push_back(*request.InstanceId + " " + request.LifecycleActionResult);
  return {};
}
inline asg::RecordLifecycleActionHeartbeatAnswer extend(Call& call,
                                                        const asg::RecordLifecycleActionHeartbeatType& request) {
  call.local<FakeScaling>().extended.push_back(*request.InstanceId);
  return {};
}
inline void joined(Call& call, const shapes::stoker::MachineJoined& message) {
  call.local<FakeScaling>().joined.push_back(message.instanceId);
}

}  // namespace asg_fake

class CapacityTest : public ReconciliationTest {
 protected:
  CapacityTest() {
    using namespace asg_fake;
    directory_.add("autoscaling", {operation<&describe_groups>("DescribeAutoScalingGroups", Access::Read),
                                   operation<&put_policy>("PutScalingPolicy", Access::Write),
                                   operation<&delete_policy>("DeletePolicy", Access::Write),
                                   operation<&put_hook>("PutLifecycleHook", Access::Write),
                                   operation<&delete_hook>("DeleteLifecycleHook", Access::Write),
                                   operation<&put_tags>("CreateOrUpdateTags", Access::Write),
                                   operation<&delete_tags>("DeleteTags", Access::Write),
                                   operation<&protect>("SetInstanceProtection", Access::Write),
                                   operation<&complete>("CompleteLifecycleAction", Access::Write),
                                   operation<&extend>("RecordLifecycleActionHeartbeat", Access::Write)});
    directory_.add("ec2", {operation<&joined>("MachineJoined", Access::Write)});
    calls_ = &directory_;
  }

  void add_group(const std::string& name, bool protects = false) {
    shapes::autoscaling::AutoScalingGroup& group = scaling_.groups[name];
    group.AutoScalingGroupName = name;
    group.AutoScalingGroupARN = group_arn(name);
    group.MaxSize = 4;
    group.NewInstancesProtectedFromScaleIn = protects;
  }
  static std::string group_arn(const std::string& name) {
    return "arn:aws:autoscaling:us-east-1:111111111111:autoScalingGroup:u-1:autoScalingGroupName/" + name;
  }
  // With managed scaling, and members of autoScalingGroupProvider.
  CapacityProvider add_provider(const std::string& name, const std::string& more = "",
                                const std::string& scaling = R"({"status":"ENABLED"})") {
    add_group(name + "-group", more.find("managedTerminationProtection") != std::string::npos);
    return *run_json(&create_capacity_provider, R"({"name":")" + name +
                                                    R"(","autoScalingGroupProvider":{"autoScalingGroupArn":")" +
                                                    group_arn(name + "-group") + R"(","managedScaling":)" + scaling +
                                                    (more.empty() ? "" : "," + more) + "}}")
                .capacityProvider;
  }
  Cluster associate(const std::string& names, const std::string& strategy = "") {
    return *run_json(&put_cluster_capacity_providers, R"({"cluster":"default","capacityProviders":[)" + names +
                                                          R"(],"defaultCapacityProviderStrategy":[)" + strategy + "]}")
                .cluster;
  }
  // The usual case: one provider "p", the cluster's default.
  void use_provider(const std::string& more = "") {
    add_provider("p", more);
    associate(R"("p")", R"({"capacityProvider":"p","weight":1})");
  }
  // A running instance of the provider's group; its agent has joined and is connected.
  std::string join_instance(const std::string& id, int gpus = 0, const std::string& group = "p-group") {
    add_instance(id, group);
    return add_machine(id, gpus);
  }
  void add_instance(const std::string& id, const std::string& group) {
    with_call([&](Call& call) {
      state::Ec2Instance instance;
      instance.id = id;
      instance.account = caller_.account;
      instance.region = caller_.region;
      instance.group = group;
      instance.state = state::Ec2State::Running;
      instance.launched_at = instance.changed_at = now_;
      state::insert_ec2_instance(call.tx, instance);
    });
  }
  // Turns of the capacity loop until nothing is left to do now.
  void run_capacity() {
    for (int turn = 0; turn < 20; ++turn) {
      Decision decision;
      store_->read_now([&](store::Tx& tx) {
        Call call{tx, nobody_, now_, now_, &locals_, &directory_};
        decision = capacity_.look(call);
      });
      capacity_next_ = decision.next;
      if (!decision.apply) return;
      with_call([&](Call& call) { decision.apply(call); });
      capacity_wakes_.insert(wakes_.begin(), wakes_.end());
    }
    FAIL() << "the loop does not come to rest";
  }
  Task run_one(const std::string& family = "plain", const std::string& more = "") {
    return run_family(family, more).tasks->at(0);
  }
  std::string status_of(const Task& task) { return *describe(task).lastStatus; }

  asg_fake::FakeScaling& scaling_ = locals_.add<asg_fake::FakeScaling>();
  Loop capacity_ = capacity_loop();
  std::optional<base::Time> capacity_next_;
  std::set<std::string> capacity_wakes_;
};

}  // namespace services::ecs
