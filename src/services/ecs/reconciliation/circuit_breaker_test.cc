// SPDX-License-Identifier: Apache-2.0
// The settings of the circuit breaker: its threshold, and whether a healthy task ends its count.
#include "services/ecs/reconciliation/reconciliation_fixture.h"

namespace services::ecs {
namespace {

class CircuitBreaker : public ReconciliationTest {
 protected:
  // A service of two tasks, of which the first runs.
  void create_pair(const std::string& breaker) {
    add_machine("a", 4);
    create(R"({"serviceName":"web","taskDefinition":"plain","desiredCount":2,"deploymentConfiguration":{
              "deploymentCircuitBreaker":{"enable":true,"rollback":false,)" +
           breaker + "}}}");
    report_status(tasks("web").at(0).id, "RUNNING");
    settle();
  }
  // The task that does not run yet fails to start, and the loop replaces it.
  void fail_one() {
    for (const state::ServiceTask& task : wanted_tasks("web")) {
      if (task.known != model::TaskStatus::Running) return fail(task.id);
    }
    ADD_FAILURE() << "all tasks run";
  }
  shapes::ecs::Deployment deployment() { return describe_service("web").deployments->at(0); }
  shapes::ecs::ServiceDeploymentCircuitBreaker breaker() {
    const std::string arn = *describe_service("web").currentServiceDeployment;
    return *run_json(&describe_service_deployments, R"({"serviceDeploymentArns":[")" + arn + "\"]}")
                .serviceDeployments->at(0)
                .deploymentCircuitBreaker;
  }

 private:
  void fail(const model::TaskId& task) {
    report_status(task, "STOPPED");
    settle();
  }
};

TEST_F(CircuitBreaker, OpensAtANumberOfFailures) {
  create_pair(R"("thresholdConfiguration":{"type":"COUNT","value":2})");
  EXPECT_EQ(*breaker().threshold, 2);
  fail_one();
  EXPECT_EQ(*deployment().rolloutState, "IN_PROGRESS");
  EXPECT_EQ(*breaker().failureCount, 1);
  fail_one();
  EXPECT_EQ(*deployment().rolloutState, "FAILED");
  EXPECT_EQ(*breaker().status, "TRIGGERED");
  EXPECT_EQ(*describe_service("web").deploymentConfiguration->deploymentCircuitBreaker->thresholdConfiguration,
            (shapes::ecs::ThresholdConfiguration{.type = "COUNT", .value = 2}));
}

TEST_F(CircuitBreaker, AHealthyTaskEndsItsCount) {
  create_pair(R"("thresholdConfiguration":{"type":"COUNT","value":2})");
  fail_one();
  settle_for(kProven);
  EXPECT_EQ(*breaker().failureCount, 0);
  fail_one();
  EXPECT_EQ(*deployment().rolloutState, "IN_PROGRESS");
}

TEST_F(CircuitBreaker, AHealthyTaskDoesNotEndItsCountWhereThatIsSwitchedOff) {
  create_pair(R"("resetOnHealthyTask":false,"thresholdConfiguration":{"type":"COUNT","value":2})");
  fail_one();
  settle_for(kProven);
  EXPECT_EQ(*deployment().failedTasks, 0) << "in a row";
  EXPECT_EQ(*breaker().failureCount, 1);
  fail_one();
  EXPECT_EQ(*deployment().rolloutState, "FAILED");
  EXPECT_EQ(*breaker().failureCount, 2);
}

TEST_F(CircuitBreaker, ARollbackBeginsWithoutEarlierFailures) {
  create_pair(R"("resetOnHealthyTask":false,"thresholdConfiguration":{"type":"COUNT","value":2})");
  fail_one();
  run_until_quiet("web");
  const std::string good = *deployment().id;
  ASSERT_EQ(*deployment().rolloutState, "COMPLETED") << "although a task has failed";
  update(R"({"service":"web","forceNewDeployment":true,"deploymentConfiguration":{"deploymentCircuitBreaker":{
            "enable":true,"rollback":true,"resetOnHealthyTask":false,
            "thresholdConfiguration":{"type":"COUNT","value":1}}}})");
  fail_one();
  EXPECT_EQ(*deployment().id, good);
  run_until_quiet("web");
  EXPECT_EQ(*deployment().id, good);
  EXPECT_EQ(*deployment().rolloutState, "COMPLETED");
}

}  // namespace
}  // namespace services::ecs
