// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/explain_service.h"

#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/reconciliation/service_placement.h"
#include "services/ecs/tasks/task_start.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Rows are written directly: no loop changes them meanwhile.
class ExplainService : public MachinesTest {
 protected:
  ExplainService() {
    for (int revision = 0; revision < 2; ++revision) {
      register_json(R"({"family":"ocr","containerDefinitions":[{"name":"c","image":"busybox","memory":16,
          "stopTimeout":90,"resourceRequirements":[{"type":"GPU","value":"1"}]}]})");
      register_family("web");
    }
    box_a_ = add_machine("box-a", 1);
  }

  state::ServiceNumber create(const std::string& name, int desired, int minimum, int maximum) {
    ServiceBody body;
    body.deploymentConfiguration.minimumHealthyPercent = minimum;
    body.deploymentConfiguration.maximumPercent = maximum;
    body.deploymentConfiguration.deploymentCircuitBreaker.emplace();
    state::ServiceNumber number{};
    with_call([&](Call& call) {
      const auto cluster = state::find_cluster(call.tx, {caller_.account, caller_.region, "default"});
      state::Service service{.cluster = cluster->number, .name = name, .desired = desired, .body_json = to_json(body)};
      service.created_at = now_;
      number = state::insert_service(call.tx, service);
    });
    return number;
  }
  // Of a definition "ocr:1".
  state::Deployment deploy(state::ServiceNumber service, const std::string& definition, state::DeploymentRole role,
                           state::Rollout rollout = state::Rollout::InProgress) {
    state::Deployment deployment{.service = service, .id = "000000000000000000" + std::to_string(++deployments_)};
    deployment.role = role;
    deployment.rollout = rollout;
    deployment.body_json = "{}";
    deployment.created_at = deployment.updated_at = now_;
    with_call([&](Call& call) {
      deployment.definition = find_task_definition(call, definition).number;
      deployment.number = state::insert_deployment(call.tx, deployment);
    });
    return deployment;
  }
  // Starts a task and reports it as RUNNING; returns its id.
  model::TaskId start(const state::Deployment& deployment, bool running = true) {
    model::TaskId id;
    with_call([&](Call& call) {
      const auto rows = read_service(call.tx, deployment.service);
      const auto definition = load_task_definition(call.tx, deployment.definition);
      StoredLaunch launch = service_launch(*rows, deployment, *definition, now_);
      scheduler::Request request = service_request(*rows, *definition, launch, std::nullopt);
      insert_launch(call.tx, launch);
      Taking taking(call, rows->cluster.number);
      const state::TaskName name = name_next_task(launch, 0, request);
      auto decision = taking.decide(request, std::nullopt);
      ASSERT_TRUE(std::holds_alternative<scheduler::Plan>(decision));
      const state::Task task = to_task(launch, name, std::get<scheduler::Plan>(std::move(decision)));
      taking.leave_to_transaction();
      write_tasks(call, rows->cluster, {task});
      id = task.id;
    });
    if (running) report_task(id, "RUNNING");
    return id;
  }
  void report_task(const model::TaskId& id, const std::string& status, const std::string& more = "") {
    Task task;
    task.taskArn = "arn:aws:ecs:us-east-1:111111111111:task/default/" + id.str();
    report(task, status, more);
  }
  std::vector<std::string> explain(const std::string& service) {
    return run_json(&stoker_explain, R"({"service":")" + service + "\"}").sentences;
  }
  std::string explain_text(const std::string& service) {
    std::string text;
    for (const std::string& sentence : explain(service)) text += sentence + "\n";
    return text;
  }

  std::string box_a_;
  int deployments_ = 0;
};

TEST_F(ExplainService, ASteadyServiceShowsItsCountsAndItsRevision) {
  const auto service = create("web", 2, 100, 200);
  const auto primary = deploy(service, "web:1", state::DeploymentRole::Primary, state::Rollout::Completed);
  start(primary);
  start(primary);
  now_ += std::chrono::minutes(1);
  EXPECT_THAT(explain("web"),
              ElementsAre("web must run 2 tasks: 2 running, 0 pending.", "It is steady.",
                          "PRIMARY deployment ecs-svc/0000000000000000001 of web:1: 2 running, 0 pending; COMPLETED."));
}

TEST_F(ExplainService, AnOldTaskThatTheMinimumKeepsIsNamedWithTheSettingThatHelps) {
  const auto service = create("ocr", 1, 100, 200);
  const auto old = deploy(service, "ocr:1", state::DeploymentRole::Active, state::Rollout::Completed);
  deploy(service, "ocr:2", state::DeploymentRole::Primary);
  const model::TaskId holder = start(old);
  now_ += std::chrono::seconds(40);
  const auto response = run_json(&stoker_explain, R"({"service":"ocr"})");
  EXPECT_THAT(
      response.sentences,
      ElementsAre(
          "ocr must run 1 task: 1 running, 0 pending.",
          "PRIMARY deployment ecs-svc/0000000000000000002 of ocr:2: 0 running, 0 pending; IN_PROGRESS for 40 s.",
          "ACTIVE deployment ecs-svc/0000000000000000001 of ocr:1: 1 running, 0 pending; to be replaced.",
          "1 task of ocr:2 waits for a machine. The nearest is box-a: no GPU free: 1 of 1 held by task " +
              holder.str() + "; needs 1.",
          "GPU-box-a0 on box-a is held by task " + holder.str() +
              " of ocr:1, of this service's deployment ecs-svc/0000000000000000001; it is RUNNING.",
          "minimumHealthyPercent 100 keeps 1 of 1 task running, so the old task is not stopped first.",
          "minimumHealthyPercent 0 lets it stop first: `stoker service update ocr --min 0`. More machines, or room on "
          "them, help as well."));
  ASSERT_TRUE(response.machines);
  EXPECT_EQ(response.machines->at(0).reason, "RESOURCE:GPU");
  EXPECT_EQ(response.nearest->machine, "box-a");
}

TEST_F(ExplainService, TheLargestMinimumThatHelpsIsSuggested) {
  add_machine("box-b", 1);
  const auto service = create("ocr", 2, 100, 200);
  const auto old = deploy(service, "ocr:1", state::DeploymentRole::Active, state::Rollout::Completed);
  deploy(service, "ocr:2", state::DeploymentRole::Primary);
  start(old);
  start(old);
  EXPECT_THAT(explain_text("ocr"), HasSubstr("`stoker service update ocr --min 50`"));
}

TEST_F(ExplainService, AMinimumOfMoreThanAllTasksKeepsAllOfThem) {
  add_machine("box-b", 1);
  const auto service = create("ocr", 2, 2'000'000'000, 2'000'000'000);
  const auto old = deploy(service, "ocr:1", state::DeploymentRole::Active, state::Rollout::Completed);
  deploy(service, "ocr:2", state::DeploymentRole::Primary);
  start(old);
  start(old);
  EXPECT_THAT(explain_text("ocr"), HasSubstr("minimumHealthyPercent 2000000000 keeps 2 of 2 tasks running"));
}

TEST_F(ExplainService, AStoppingTaskIsAwaitedWithItsStopTimeout) {
  const auto service = create("ocr", 1, 0, 200);
  const auto old = deploy(service, "ocr:1", state::DeploymentRole::Active, state::Rollout::Completed);
  deploy(service, "ocr:2", state::DeploymentRole::Primary);
  const model::TaskId holder = start(old);
  run_json(&stop_task, R"({"task":")" + holder.str() + "\"}");
  now_ += std::chrono::seconds(3);
  EXPECT_THAT(explain_text("ocr"),
              AllOf(HasSubstr("0 running, 0 pending, 1 stopping"),
                    HasSubstr("it has been stopping for 3 s and is killed when its stopTimeout of 90 s ends"),
                    Not(HasSubstr("minimumHealthyPercent"))));
}

TEST_F(ExplainService, ATaskOfAnotherServiceOrOfNoneIsNamed) {
  const Task train = run_family("one").tasks->at(0);
  const auto service = create("ocr", 1, 0, 200);
  deploy(service, "ocr:1", state::DeploymentRole::Primary);
  EXPECT_THAT(explain_text("ocr"), AllOf(HasSubstr("GPU-box-a0 on box-a is held by task "),
                                         HasSubstr(" of one:1, of no service; it is PENDING.")));
  report(train, "STOPPED");
  start(deploy(create("other", 1, 0, 200), "ocr:2", state::DeploymentRole::Primary));
  EXPECT_THAT(explain_text("ocr"), HasSubstr(" of ocr:2, of the service other; it is RUNNING."));
}

TEST_F(ExplainService, PercentagesThatLeaveNoMoveAreShownWithTheArithmetic) {
  const auto service = create("web", 1, 50, 150);
  const auto old = deploy(service, "web:1", state::DeploymentRole::Active, state::Rollout::Completed);
  deploy(service, "web:2", state::DeploymentRole::Primary);
  start(old);
  EXPECT_THAT(
      explain("web"),
      AllOf(Contains("The percentages leave no move. minimumHealthyPercent 50: ceil(1 x 50 / 100) = 1 must run. "
                     "maximumPercent 150: floor(1 x 150 / 100) = 1 may run."),
            Contains("`stoker service update web --max 200` lets a new task start first, `--min 0` an old one "
                     "stop first.")));
}

TEST_F(ExplainService, FailingTasksShowTheLastReasonAndTheEndOfTheBackOff) {
  const auto service = create("web", 1, 100, 200);
  auto primary = deploy(service, "web:1", state::DeploymentRole::Primary);
  const model::TaskId failed = start(primary, false);
  report_task(failed, "STOPPED", R"(,"reason":"Task failed to start","containers":[{"containerName":"c",
      "status":"STOPPED","reason":"CannotPullContainerError: no such image"}])");
  with_call([&](Call& call) {
    primary = *state::find_deployment(call.tx, primary.number);
    primary.failed_tasks = 4;
    primary.last_failure = now_;
    state::update_deployment(call.tx, primary);
  });
  now_ += std::chrono::seconds(5);
  const auto sentences = explain("web");
  EXPECT_THAT(sentences, Contains("4 tasks of web:1 failed in a row."));
  EXPECT_THAT(sentences,
              Contains(AllOf(HasSubstr("The last of them, task " + failed.str() + " on box-a, STOPPED 5 s ago: "),
                             HasSubstr("Container c: CannotPullContainerError: no such image."))));
  EXPECT_THAT(sentences, Contains(HasSubstr("The next start is tried in 15 s")));
  EXPECT_THAT(sentences, Contains(HasSubstr("There is no circuit breaker")));
}

TEST_F(ExplainService, ACircuitBreakerThatSumsFailuresShowsTheirNumber) {
  const auto service = create("web", 4, 100, 200);
  auto primary = deploy(service, "web:1", state::DeploymentRole::Primary);
  with_call([&](Call& call) {
    auto row = load_service(call.tx, service);
    row->body.deploymentConfiguration.deploymentCircuitBreaker = {
        .enable = true,
        .resetOnHealthyTask = false,
        .thresholdConfiguration = shapes::ecs::ThresholdConfiguration{.type = "UNBOUNDED_PERCENT", .value = 200}};
    update_service_row(call.tx, *row);
    primary.failed_tasks = 2;
    primary.last_failure = now_;
    primary.body_json = R"({"earlierFailures":5})";
    state::update_deployment(call.tx, primary);
  });
  EXPECT_THAT(explain_text("web"), HasSubstr("The circuit breaker opens at 8 failures, of which there were 7, and "));
}

TEST_F(ExplainService, AFailedDeploymentShowsThatNothingMoreIsStarted) {
  const auto service = create("web", 1, 100, 200);
  auto primary = deploy(service, "web:1", state::DeploymentRole::Primary, state::Rollout::Failed);
  with_call([&](Call& call) {
    primary.rollout_reason = "ECS deployment circuit breaker: tasks failed to start.";
    state::update_deployment(call.tx, primary);
  });
  EXPECT_THAT(explain("web"), Contains("ECS deployment circuit breaker: tasks failed to start. Nothing more is started "
                                       "until there is a new deployment."));
}

TEST_F(ExplainService, ProtectedTasksAreNamedWithTheTimeThatIsLeft) {
  const auto service = create("web", 0, 100, 200);
  const auto primary = deploy(service, "web:1", state::DeploymentRole::Primary, state::Rollout::Completed);
  const model::TaskId task = start(primary);
  with_call([&](Call& call) {
    state::set_protection(call.tx, *state::parse_task_name(task.str()), now_ + std::chrono::minutes(20));
  });
  const auto sentences = explain("web");
  EXPECT_THAT(sentences, Contains("1 task that is to go is protected and can't be stopped for this."));
  EXPECT_THAT(sentences, Contains(HasSubstr("Task " + task.str() + " is protected for another 20 min, until ")));
}

TEST_F(ExplainService, AMachineThatIsAwayIsNamed) {
  const auto service = create("web", 1, 100, 200);
  start(deploy(service, "web:1", state::DeploymentRole::Primary, state::Rollout::Completed));
  with_call([&](Call& call) { set_connected(call, model::InstanceId(box_a_), false); });
  now_ += std::chrono::seconds(40);
  EXPECT_THAT(explain("web"), Contains("The agent of box-a has been away for 40 s: 1 task is there, replaced only when "
                                       "the machine is lost."));
}

TEST_F(ExplainService, AClusterWithoutMachinesShowsHowToAddOne) {
  run_json(&deregister_container_instance, R"({"containerInstance":")" + box_a_ + "\"}");
  deploy(create("web", 2, 100, 200), "web:1", state::DeploymentRole::Primary);
  EXPECT_THAT(explain("web"), Contains("1 task of web:1 waits for a machine: the cluster default has none. `stoker "
                                       "token` shows how to add one."));
}

TEST_F(ExplainService, AServiceMustExist) {
  EXPECT_THAT(error_of(&stoker_explain, R"({"service":"none"})"), HasSubstr("ServiceNotFoundException"));
  EXPECT_THAT(error_of(&stoker_explain, R"({"service":"web","task":"abc"})"), HasSubstr("Specify either"));
}

}  // namespace
}  // namespace services::ecs
