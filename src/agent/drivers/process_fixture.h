// SPDX-License-Identifier: Apache-2.0
// For tests: a process driver in its own folder. The test program is also its shim.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>

#include "agent/drivers/cgroup.h"
#include "agent/drivers/log_file.h"
#include "agent/drivers/process.h"
#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

constexpr base::Duration kTestTimeout = std::chrono::seconds(300);
// The end of a shell script that runs until it is stopped. It ends by itself as well: the processes of a test that was
// killed must not burden the machine for ever.
inline constexpr char kRunOn[] = "for i in $(seq 6000); do sleep 0.01; done";

class ProcessFixture : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "process_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    options_.folder = folder_ + "/processes";
    options_.agent_name = "test-" + folder_.substr(folder_.size() - 6);
    options_.shim_command = {"/proc/self/exe", "shim"};
    configure();
    open();
  }
  void TearDown() override {
    auto found = run(driver_->list());
    for (const Found& process : *found) EXPECT_TRUE(run(driver_->remove(process.id)));
    EXPECT_TRUE(run(driver_->clean_up(task_.arn)));
    Cgroups::find().remove("stoker/" + options_.agent_name);
    std::filesystem::remove_all(folder_);
  }

  // Tasks write to the folder of the test.
  virtual void configure() {
    if (::geteuid() == 0) options_.isolation.task_user = "root";
  }

  void open() {
    auto opened = open_process(options_);
    ASSERT_TRUE(opened) << opened.error();
    driver_ = std::move(*opened);
  }

  template <class T>
  static boost::asio::awaitable<void> store_result(boost::asio::awaitable<T> call, std::optional<T>& result) {
    T value = co_await std::move(call);
    result.emplace(std::move(value));
  }

  // Runs the call to its end, with a time limit.
  template <class T>
  T run(boost::asio::awaitable<T> call) {
    std::optional<T> result;
    boost::asio::co_spawn(io_, store_result(std::move(call), result), [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    });
    io_.restart();
    io_.run_for(kTestTimeout);
    if (!result) throw std::runtime_error("the call did not return");
    return std::move(*result);
  }

  ContainerSpec spec(std::vector<std::string> command) {
    ContainerSpec spec;
    spec.container.name = "main";
    spec.container.command = std::move(command);
    spec.log_file = folder_ + "/main.log";
    spec.task = task_;
    return spec;
  }
  ContainerSpec shell(const std::string& script) { return spec({"/bin/sh", "-c", script}); }

  std::string create(ContainerSpec spec) {
    auto id = run(driver_->create(std::move(spec)));
    EXPECT_TRUE(id) << id.error();
    return id ? *id : "";
  }
  std::string start(ContainerSpec spec) {
    const std::string id = create(std::move(spec));
    auto started = run(driver_->start(id));
    EXPECT_TRUE(started) << started.error();
    return id;
  }
  Exit wait(const std::string& id) {
    auto exit = run(driver_->wait(id));
    EXPECT_TRUE(exit) << exit.error();
    return exit ? *exit : Exit{-1, false, exit.error(), {}};
  }
  Exit run_to_end(ContainerSpec spec) { return wait(start(std::move(spec))); }

  std::string process_folder(const std::string& id) const { return options_.folder + "/" + id; }
  std::vector<LogLine> log() const { return LogReader(folder_ + "/main.log").read(10'000); }
  std::string output(std::string_view stream = "stdout") const {
    std::string text;
    for (const LogLine& line : log()) {
      if (line.stream == stream) text += line.text + (line.partial ? "" : "\n");
    }
    return text;
  }

  // Waits until the process has written this file.
  void await_file(const std::string& path) const {
    const auto end = std::chrono::steady_clock::now() + kTestTimeout;
    while (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << path << " was not written";
      usleep(1000);
    }
  }
  void await_end(pid_t pid) const {
    const auto end = std::chrono::steady_clock::now() + kTestTimeout;
    while (start_ticks(pid)) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << pid << " is still running";
      usleep(1000);
    }
  }
  pid_t pid_in(const std::string& path) const {
    await_file(path);
    pid_t pid = 0;
    std::ifstream(path) >> pid;
    return pid;
  }

  std::string folder_;
  ProcessOptions options_;
  shapes::agent::Task task_{.arn = "arn:aws:ecs:us-east-1:000000000000:task/default/0123456789abcdef"};
  boost::asio::io_context io_;
  std::unique_ptr<Driver> driver_;
};

}  // namespace agent::drivers
