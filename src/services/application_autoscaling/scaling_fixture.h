// SPDX-License-Identifier: Apache-2.0
// Test support: Application Auto Scaling with a service of ECS in the database, whose UpdateService and CloudWatch's
// alarms are fakes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "services/application_autoscaling/module.h"
#include "services/directory.h"
#include "services/tracking_period.h"
#include "shapes/application_autoscaling/activity.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/application_autoscaling/scalable_target.h"
#include "shapes/application_autoscaling/scheduled_action.h"
#include "shapes/application_autoscaling/tag.h"
#include "shapes/cloudwatch/alarm.h"
#include "shapes/ecs/service.h"
#include "shapes/stoker/alarm_action.h"
#include "state/cluster.h"
#include "state/definition.h"
#include "state/launch.h"
#include "state/machine.h"
#include "state/service.h"
#include "state/task.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::application_autoscaling {

using namespace shapes::application_autoscaling;

// In Locals, where the fake operations find it.
struct FakeServices {
  std::map<std::string, shapes::cloudwatch::PutMetricAlarmInput> alarms;
  std::map<std::string, shapes::cloudwatch::MetricAlarm> states;  // of alarms, for DescribeAlarms
  bool reject_updates = false;
};

inline shapes::ecs::UpdateServiceResponse fake_update_service(Call& call,
                                                              const shapes::ecs::UpdateServiceRequest& request) {
  if (call.local<FakeServices>().reject_updates) throw wire::ApiError("ServerException", "Not now.");
  EXPECT_EQ(call.caller.service, "ecs.application-autoscaling.amazonaws.com");
  const auto cluster = state::find_cluster(call.tx, {call.caller.account, call.caller.region, *request.cluster});
  auto service = state::find_service(call.tx, cluster->number, request.service);
  service->desired = *request.desiredCount;
  state::update_service(call.tx, *service);
  return {};
}

inline void fake_put_alarm(Call& call, const shapes::cloudwatch::PutMetricAlarmInput& input) {
  call.local<FakeServices>().alarms[input.AlarmName] = input;
}

inline void fake_delete_alarms(Call& call, const shapes::cloudwatch::DeleteAlarmsInput& input) {
  for (const std::string& name : input.AlarmNames) {
    if (call.local<FakeServices>().alarms.erase(name) == 0) throw wire::ApiError("ResourceNotFound", "");
  }
}

inline shapes::cloudwatch::DescribeAlarmsOutput fake_describe_alarms(
    Call& call, const shapes::cloudwatch::DescribeAlarmsInput& input) {
  shapes::cloudwatch::DescribeAlarmsOutput output;
  output.MetricAlarms.emplace();
  if (!input.AlarmNames) return output;
  for (const std::string& name : *input.AlarmNames) {
    const auto& states = call.local<FakeServices>().states;
    if (auto found = states.find(name); found != states.end()) output.MetricAlarms->push_back(found->second);
  }
  return output;
}

class ScalingTest : public testing::Test {
 protected:
  ScalingTest() : folder_(testing::TempDir() + "scaling-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {state::cluster_migrations(), module_.migrations});
    locals_.add<FakeServices>();
    locals_.add<TrackingPeriod>(std::chrono::seconds(60));
    directory_.add("ecs", {operation<&fake_update_service>("UpdateService", Access::Write)});
    directory_.add("cloudwatch", {operation<&fake_put_alarm>("PutMetricAlarm", Access::Write),
                                  operation<&fake_delete_alarms>("DeleteAlarms", Access::Write),
                                  operation<&fake_describe_alarms>("DescribeAlarms", Access::Read)});
    with_call([&](Call& call) { create_service(call.tx); });
  }
  ~ScalingTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void create_service(store::Tx& tx) {
    cluster_ = state::insert_cluster(tx, {{}, caller_.account, caller_.region, "c"}, "{}", now_);
    state::insert_definition(tx, {caller_.account, caller_.region, "f"},
                             {.family = "f", .revision = 1, .status = "ACTIVE", .registered_at = now_});
    definition_ = state::find_definition(tx, {caller_.account, caller_.region, "f"})->number;
    machine_.id = model::InstanceId("m");
    machine_.cluster = cluster_;
    machine_.registered_at = machine_.connected_at = now_;
    state::insert_machine(tx, machine_);
    state::Service service{.cluster = cluster_, .name = "web", .desired = 1, .body_json = "{}"};
    service.created_at = now_;
    service_ = state::insert_service(tx, service);
    deployment_ = {.service = service_, .id = "1", .definition = definition_, .body_json = "{}"};
    deployment_.rollout = state::Rollout::Completed;
    deployment_.created_at = deployment_.updated_at = now_;
    deployment_.number = state::insert_deployment(tx, deployment_);
  }

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
  std::optional<base::Time> take_turn(const std::string& name) {
    auto loop = std::find_if(module_.loops.begin(), module_.loops.end(), [&](const Loop& l) { return l.name == name; });
    CHECK(loop != module_.loops.end()) << name;
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      decision = loop->look(call);
    });
    if (decision.apply) with_call(decision.apply);
    return decision.next;
  }
  bool woke(std::string_view topic) const {
    return std::any_of(wakes_.begin(), wakes_.end(), [&](const Wake& wake) { return wake.topic == topic; });
  }

  RegisterScalableTargetResponse register_target(std::optional<int> min, std::optional<int> max) {
    RegisterScalableTargetRequest request;
    request.ServiceNamespace = "ecs";
    request.ResourceId = kResource;
    request.ScalableDimension = "ecs:service:DesiredCount";
    request.MinCapacity = min;
    request.MaxCapacity = max;
    return run<RegisterScalableTargetResponse>("RegisterScalableTarget", request);
  }
  PutScalingPolicyRequest policy_request(const std::string& name, const std::string& type) const {
    PutScalingPolicyRequest request;
    request.PolicyName = name;
    request.ServiceNamespace = "ecs";
    request.ResourceId = kResource;
    request.ScalableDimension = "ecs:service:DesiredCount";
    request.PolicyType = type;
    return request;
  }
  PutScalingPolicyResponse put_tracking(const std::string& name, const std::string& metric, double target,
                                        std::optional<std::string> label = {}) {
    PutScalingPolicyRequest request = policy_request(name, "TargetTrackingScaling");
    TargetTrackingScalingPolicyConfiguration configuration;
    configuration.TargetValue = target;
    configuration.PredefinedMetricSpecification.emplace();
    configuration.PredefinedMetricSpecification->PredefinedMetricType = metric;
    configuration.PredefinedMetricSpecification->ResourceLabel = label;
    request.TargetTrackingScalingPolicyConfiguration = configuration;
    return run<PutScalingPolicyResponse>("PutScalingPolicy", request);
  }
  PutScalingPolicyResponse put_steps(const std::string& name, std::vector<StepAdjustment> steps,
                                     const std::string& type = "ChangeInCapacity") {
    PutScalingPolicyRequest request = policy_request(name, "StepScaling");
    StepScalingPolicyConfiguration configuration;
    configuration.AdjustmentType = type;
    configuration.StepAdjustments = std::move(steps);
    configuration.Cooldown = 60;
    request.StepScalingPolicyConfiguration = configuration;
    return run<PutScalingPolicyResponse>("PutScalingPolicy", request);
  }

  // An alarm triggers a policy.
  void trigger(const std::string& arn, std::vector<double> points, double threshold = 50,
               const std::string& comparison = "GreaterThanThreshold", const std::string& state = "ALARM") {
    shapes::stoker::ExecuteAlarmAction action{.actionArn = arn};
    action.account = caller_.account;
    action.region = caller_.region;
    action.alarmName = "alarm";
    action.newState = state;
    action.recentDatapoints = std::move(points);
    action.threshold = threshold;
    action.comparisonOperator = comparison;
    run<void>("ExecuteAlarmAction", action);
  }
  void trigger_low(const std::string& arn, std::vector<double> points) {
    trigger(arn, std::move(points), 45, "LessThanThreshold");
  }

  int desired() {
    int count = 0;
    with_call([&](Call& call) { count = state::find_service(call.tx, service_)->desired; });
    return count;
  }
  void set_desired(int count) {
    with_call([&](Call& call) {
      auto service = state::find_service(call.tx, service_);
      service->desired = count;
      state::update_service(call.tx, *service);
    });
  }
  void set_deploying(bool deploying) {
    deployment_.rollout = deploying ? state::Rollout::InProgress : state::Rollout::Completed;
    with_call([&](Call& call) { state::update_deployment(call.tx, deployment_); });
  }
  // Starts tasks that run.
  void start_tasks(int count) {
    with_call([&](Call& call) {
      const state::LaunchNumber number = state::insert_launch(call.tx, {.cluster = cluster_,
                                                                        .definition = definition_,
                                                                        .group = "service:web",
                                                                        .started_by = "ecs-svc/1",
                                                                        .service = service_,
                                                                        .deployment = deployment_.number,
                                                                        .body_json = "{}",
                                                                        .created_at = now_});
      std::vector<state::Task> tasks;
      for (int place = 0; place < count; ++place) {
        state::Task task;
        task.name = state::new_task_name(number, place);
        task.id = model::TaskId(to_text(task.name));
        task.cluster = cluster_;
        task.machine_number = machine_.number;
        task.known = model::TaskStatus::Running;
        tasks.push_back(task);
      }
      state::insert_tasks(call.tx, tasks);
      for (state::Task& task : tasks) state::update_task(call.tx, task);
    });
  }
  std::vector<ScalingActivity> activities(bool all = false) {
    DescribeScalingActivitiesRequest request;
    request.ServiceNamespace = "ecs";
    request.ResourceId = kResource;
    request.IncludeNotScaledActivities = all;
    return *run<DescribeScalingActivitiesResponse>("DescribeScalingActivities", request).ScalingActivities;
  }
  FakeServices& fakes() { return locals_.get<FakeServices>(); }

  static constexpr char kResource[] = "service/c/web";

  std::string folder_;
  Module module_ = module({});
  std::unique_ptr<store::Store> store_;
  Locals locals_;
  Directory directory_;
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
  state::ClusterNumber cluster_{};
  state::DefinitionNumber definition_{};
  state::Machine machine_;
  state::ServiceNumber service_{};
  state::Deployment deployment_;
};

}  // namespace services::application_autoscaling
