// SPDX-License-Identifier: Apache-2.0
// For tests: a machine with a driver in memory, on the test's own thread.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>

#include "agent/tasks/task_registry.h"
#include "agent/tasks/test_driver.h"
#include "wire/error.h"

namespace agent {

// Generous, for a busy machine. Shorter than the interval at which waiters look again without an event,
// so that a test fails where a notification is missing.
inline constexpr std::chrono::seconds kTestDeadline{50};
static_assert(kTestDeadline < kLongestWait);

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "agent_test.XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

inline shapes::agent::Container test_container(std::string name, bool essential = true) {
  shapes::agent::Container container;
  container.name = std::move(name);
  container.image = "busybox";
  container.essential = essential;
  return container;
}

inline shapes::agent::Task test_task(std::string id, std::vector<shapes::agent::Container> containers) {
  shapes::agent::Task task;
  task.arn = "arn:aws:ecs:us-east-1:000000000000:task/default/" + id;
  task.taskClusterArn = "arn:aws:ecs:us-east-1:000000000000:cluster/default";
  task.desiredStatus = "RUNNING";
  task.containers = std::move(containers);
  return task;
}

class MachineTest : public ::testing::Test {
 protected:
  MachineTest() { begin_agent(); }
  ~MachineTest() override { end_agent(); }

  // Starts and stops the agent. Its containers continue in driver_.
  void begin_agent() {
    Timing timing;
    timing.pull.first_pause = timing.retry = timing.retry_longest = std::chrono::milliseconds(1);
    store_ = std::make_unique<TaskStore>(folder_.path);
    machine_ = std::make_unique<Machine>(io_.get_executor(), driver_, *store_, clock_, timing);
    machine_->ledger.set_gpus({{.id = "GPU-a", .memory_mib = 16000}, {.id = "GPU-b", .index = 1, .memory_mib = 16000}});
    tasks_ = std::make_unique<TaskRegistry>(
        *machine_, [this](Report report) { return submit(std::move(report)); }, std::chrono::hours(3));
  }
  void end_agent() {
    machine_->stopping = true;
    run(tasks_->detach());
    tasks_.reset();
    machine_.reset();
    io_.restart();
    io_.poll();
  }

  boost::asio::awaitable<void> submit(Report report) {
    if (server_down_) throw std::runtime_error("connection refused");
    reports_.push_back(report);
    if (!error_code_.empty()) throw wire::ApiError(error_code_, "rejected by the test");
    co_return;
  }

  // Runs the agent until the condition holds.
  void until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kTestDeadline;
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the condition never became true";
      io_.restart();
      io_.run_one_for(std::chrono::milliseconds(100));
    }
  }
  // Runs everything that is ready to run.
  void settle() {
    io_.restart();
    while (io_.poll() > 0) io_.restart();
  }
  void run(boost::asio::awaitable<void> work) {
    bool done = false;
    boost::asio::co_spawn(io_, std::move(work), [&](std::exception_ptr error) {
      done = true;
      EXPECT_FALSE(error);
    });
    until([&] { return done; });
  }

  const TaskRecord& record(const shapes::agent::Task& task) { return tasks_->find(task.arn)->record(); }
  const ContainerRecord& container(const shapes::agent::Task& task, std::size_t i) {
    return record(task).containers[i];
  }
  bool ended(const shapes::agent::Task& task) { return record(task).executionStoppedAt.has_value(); }
  std::vector<std::string> statuses() {
    std::vector<std::string> all;
    for (const Report& report : reports_) all.push_back(*report.status);
    return all;
  }

  TestFolder folder_;
  boost::asio::io_context io_;
  base::FakeClock clock_{base::from_seconds(1000)};
  TestDriver driver_;
  std::unique_ptr<TaskStore> store_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<TaskRegistry> tasks_;
  std::vector<Report> reports_;
  bool server_down_ = false;
  std::string error_code_;  // of every reply of the server; "": success
};

}  // namespace agent
