// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Tasks : public MachinesTest {
 protected:
  // All pages; `between` runs after each.
  template <class Between>
  std::vector<std::string> list(const std::string& members, Between between) {
    std::vector<std::string> arns;
    std::string token;
    do {
      auto page = run_json(&list_tasks, "{" + members + (token.empty() ? "" : R"(,"nextToken":")" + token + "\"") + "}");
      arns.insert(arns.end(), page.taskArns->begin(), page.taskArns->end());
      token = page.nextToken.value_or("");
      between();
    } while (!token.empty());
    return arns;
  }
  std::vector<std::string> list(const std::string& members) {
    return list(members, [] {});
  }
  void stop(const Task& task) { run_json(&stop_task, R"({"task":")" + *task.taskArn + "\"}"); }
  static std::vector<std::string> arns_of(const std::vector<Task>& tasks) {
    std::vector<std::string> arns;
    for (const Task& task : tasks) arns.push_back(*task.taskArn);
    return arns;
  }
};

// Stopping and stopped tasks are in two tables, and a task may move from one to the other between two pages.
TEST_F(Tasks, EachTaskIsListedOnceEvenIfTasksStopBetweenPages) {
  add_machine("a", 0);
  std::vector<Task> tasks;
  for (int i = 0; i < 3; ++i) {
    const auto ten = *run_family("plain", R"("count":10)").tasks;
    tasks.insert(tasks.end(), ten.begin(), ten.end());
  }
  for (const Task& task : tasks) stop(task);
  for (std::size_t i = 0; i < tasks.size(); i += 3) report(tasks[i], "STOPPED");
  std::size_t next = 1;
  const auto listed = list(R"("desiredStatus":"STOPPED","maxResults":4)", [&] {
    for (std::size_t end = next + 7; next < end && next < tasks.size(); ++next) {
      if (next % 3 != 0) report(tasks[next], "STOPPED");
    }
  });
  EXPECT_EQ(listed, arns_of(tasks));
  EXPECT_THAT(list(R"("maxResults":4)"), IsEmpty());
}

TEST_F(Tasks, AFullLastPageHasNoToken) {
  add_machine("a", 0);
  const auto tasks = *run_family("plain", R"("count":4)").tasks;
  EXPECT_FALSE(run_json(&list_tasks, R"({"maxResults":4})").nextToken);
  EXPECT_TRUE(run_json(&list_tasks, R"({"maxResults":3})").nextToken);
  EXPECT_EQ(list(R"("maxResults":3)"), arns_of(tasks));
}

TEST_F(Tasks, LiveAndStoppedTasksAreListedByMachineFamilyAndStarter) {
  const std::string first = add_machine("a", 1), second = add_machine("b", 1);
  const Task one = run_family("one").tasks->at(0), other = run_family("one", R"("startedBy":"me")").tasks->at(0);
  const Task plain = run_family("plain", R"("startedBy":"me")").tasks->at(0);
  const auto on = [&](const std::string& id, const std::string& status) {
    return list(R"("containerInstance":")" + id + R"(","family":"one","desiredStatus":")" + status + "\"");
  };
  const bool in_order = one.containerInstanceArn->ends_with(first);
  EXPECT_THAT(on(in_order ? first : second, "RUNNING"), ElementsAre(*one.taskArn));
  EXPECT_THAT(list(R"("startedBy":"me")"), ElementsAre(*other.taskArn, *plain.taskArn));
  for (const Task& task : {one, other, plain}) report(task, "STOPPED");
  EXPECT_THAT(on(in_order ? first : second, "RUNNING"), IsEmpty());
  EXPECT_THAT(on(in_order ? first : second, "STOPPED"), ElementsAre(*one.taskArn));
  EXPECT_THAT(list(R"("startedBy":"me","desiredStatus":"STOPPED")"), ElementsAre(*other.taskArn, *plain.taskArn));
}

TEST_F(Tasks, TasksAreDescribedInTheRequestedOrderAndMissingOnesAreFailures) {
  add_machine("a", 0);
  const auto tasks = *run_family("plain", R"("count":3)").tasks;
  report(tasks[1], "STOPPED");
  std::string guessed = *tasks[0].taskArn;  // the right row, another secret
  guessed.back() = guessed.back() == '0' ? '1' : '0';
  const auto response = run_json(&describe_tasks, R"({"tasks":[")" + *tasks[2].taskArn + R"(",")" + guessed + R"(",")" +
                                                      *tasks[1].taskArn + R"(",")" + *tasks[0].taskArn + R"("]})");
  EXPECT_EQ(arns_of(*response.tasks), arns_of({tasks[2], tasks[1], tasks[0]}));
  ASSERT_THAT(*response.failures, SizeIs(1));
  EXPECT_EQ(*response.failures->at(0).arn, guessed);
  EXPECT_EQ(*response.failures->at(0).reason, "MISSING");
}

TEST_F(Tasks, AnArnOfAnotherResourceNamesNoTask) {
  const std::string prefix = "arn:aws:ecs:us-east-1:111111111111:", id(32, 'a');
  auto refused = [&](const std::string& task) {
    const std::string stopping = error_of(&stop_task, R"({"task":")" + task + "\"}");
    EXPECT_EQ(error_of(&describe_tasks, R"({"tasks":[")" + task + "\"]}"), stopping);
    return stopping;
  };
  EXPECT_EQ(refused(prefix + "container-instance/default/" + id), "InvalidParameterException: Task Identifier is invalid");
  EXPECT_EQ(refused("arn:aws:ecr:us-east-1:111111111111:task/" + id),
            "InvalidParameterException: Task Identifier is invalid");
  EXPECT_EQ(refused(prefix + "task"), "InvalidParameterException: Invalid identifier: Unexpected number of separators");
}

TEST_F(Tasks, EachChangeIncrementsTheVersion) {
  add_machine("a", 0);
  const Task task = run_family("plain").tasks->at(0);
  EXPECT_EQ(*task.version, 1);
  report(task, "RUNNING");
  EXPECT_EQ(*describe(task).version, 2);
  stop(task);
  EXPECT_EQ(*describe(task).version, 3);
  report(task, "STOPPED");
  EXPECT_EQ(*describe(task).version, 4);
  report(task, "STOPPED");
  stop(task);
  EXPECT_EQ(*describe(task).version, 4);
}

}  // namespace
}  // namespace services::ecs
