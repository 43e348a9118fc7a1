// SPDX-License-Identifier: Apache-2.0
// For tests with a real engine: tools/docker.sh starts it and builds the image.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>

#include "agent/drivers/docker.h"
#include "agent/drivers/docker_api.h"
#include "agent/drivers/log_file.h"
#include "base/bytes.h"
#include "base/random.h"

namespace agent::drivers {

using namespace std::chrono_literals;

template <class T>
boost::asio::awaitable<void> store_result(boost::asio::awaitable<T> call, std::optional<T>& result) {
  T value = co_await std::move(call);
  result = std::move(value);
}

// Each test has its own agent name, and removes everything created under it.
class DockerTest : public testing::Test {
 protected:
  void SetUp() override {
    agent_ = "test-" + base::to_hex(base::random_bytes(6));
    folder_ = std::filesystem::path(testing::TempDir()) / ("stoker-" + agent_);
    task_ = make_task();
    reopen();
  }

  void TearDown() override {
    if (driver_) {
      auto found = run(driver_->list());
      ASSERT_TRUE(found) << found.error();
      for (const Found& one : *found) EXPECT_TRUE(run(driver_->remove(one.id)));
      for (const std::string& task : tasks_) {
        auto cleaned = run(driver_->clean_up(task));
        EXPECT_TRUE(cleaned) << cleaned.error();
      }
      EXPECT_EQ(left_over("/containers/json?all=1&").size(), 0u);
      EXPECT_EQ(left_over("/volumes?").size(), 0u);
    }
    driver_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Replaces the driver, as a restarted agent with the same name does.
  void reopen() {
    driver_.reset();
    DockerOptions options = options_;
    options.agent_name = agent_;
    auto opened = open_docker(io_, options);
    if (!opened) GTEST_SKIP() << "tools/docker.sh starts an engine: " << opened.error();
    driver_ = std::move(*opened);
  }

  template <class T>
  T run(boost::asio::awaitable<T> call) {
    std::optional<T> result;
    boost::asio::co_spawn(io_.at(0), store_result(std::move(call), result), boost::asio::use_future).get();
    return std::move(*result);
  }

  shapes::agent::Task make_task() {
    shapes::agent::Task task;
    task.taskClusterArn = "arn:aws:ecs:us-east-1:000000000000:cluster/test";
    task.arn = "arn:aws:ecs:us-east-1:000000000000:task/test/" + base::to_hex(base::random_bytes(16));
    task.family = "family";
    task.version = "7";
    tasks_.push_back(task.arn);
    return task;
  }

  ContainerSpec shell(const std::string& name, const std::string& script) {
    ContainerSpec spec;
    spec.task = task_;
    spec.container.name = name;
    spec.container.image = "stoker-test:latest";
    spec.container.command = {{"sh", "-c", script}};
    spec.log_file = (folder_ / (name + ".log")).string();
    spec.work_folder = (folder_ / "work").string();
    return spec;
  }

  // A shell that sees the test's folder as /shared: folders in it are its gates.
  ContainerSpec shared_shell(const std::string& name, const std::string& script) {
    std::filesystem::create_directories(folder_);
    ContainerSpec spec = shell(name, script);
    spec.task.volumes = {{.name = "v", .host = shapes::agent::HostPath{folder_.string()}}};
    spec.container.mountPoints = {{.sourceVolume = "v", .containerPath = "/shared"}};
    return spec;
  }

  std::string create(const ContainerSpec& spec) {
    auto id = run(driver_->create(spec));
    EXPECT_TRUE(id) << id.error();
    return id ? *id : "";
  }
  std::string start(const ContainerSpec& spec) {
    const std::string id = create(spec);
    auto started = run(driver_->start(id));
    EXPECT_TRUE(started) << started.error();
    if (started) started_ = *started;
    return id;
  }
  Exit wait(const std::string& id) {
    auto exit = run(driver_->wait(id));
    EXPECT_TRUE(exit) << exit.error();
    return exit ? *exit : Exit{.code = -1};
  }
  // All its output, with partial records joined.
  std::string output(const ContainerSpec& spec) {
    std::string text;
    LogReader reader(spec.log_file);
    for (const LogLine& line : reader.read(kAllLines)) text += line.text + (line.partial ? "" : "\n");
    return text;
  }
  std::string run_to_end(const ContainerSpec& spec) {
    const std::string id = start(spec);
    wait(id);
    return output(spec);
  }
  static bool eventually(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + 120s;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(10ms);
    }
    return true;
  }

  boost::json::array left_over(const std::string& list) {
    DockerApi api(io_, default_socket());
    EXPECT_TRUE(api.connect());
    std::vector<std::string> labels = {"stoker.agent=" + agent_};
    const EngineReply reply = run(api.get(list + label_query(labels)));
    const boost::json::value value = reply.json();
    const boost::json::value* volumes = find(value, {"Volumes"});
    if (volumes) return volumes->is_array() ? volumes->get_array() : boost::json::array();
    return value.is_array() ? value.get_array() : boost::json::array();
  }

  http::IoThreads io_{1};
  std::string agent_;
  std::filesystem::path folder_;
  DockerOptions options_;
  shapes::agent::Task task_;
  std::vector<std::string> tasks_;
  std::unique_ptr<Driver> driver_;
  Started started_;
};

}  // namespace agent::drivers
