// SPDX-License-Identifier: Apache-2.0
// A loop over rows in a store, with an EC2 that changes the rows as reports say.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>

#include "base/log.h"
#include "base/random.h"
#include "control/providers/machine_loop.h"
#include "http/block_on.h"
#include "services/directory.h"
#include "services/operation.h"
#include "shapes/stoker/machine.h"
#include "state/keys.h"
#include "store/test_store.h"

namespace control::providers {

constexpr std::chrono::seconds kPatience{60};

// What the loop reported, in order.
class Reports {
 public:
  void add(const shapes::stoker::ReportMachine& report) {
    std::lock_guard lock(mutex_);
    all_.push_back(report);
    changed_.notify_all();
  }
  // Waits for the report with this number, from 0.
  shapes::stoker::ReportMachine at(std::size_t number) {
    std::unique_lock lock(mutex_);
    const bool there = changed_.wait_for(lock, kPatience, [&] { return all_.size() > number; });
    EXPECT_TRUE(there) << "report " << number;
    return there ? all_[number] : shapes::stoker::ReportMachine{};
  }
  std::vector<std::string> events() {
    std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    for (const auto& report : all_) texts.push_back(report.event);
    return texts;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<shapes::stoker::ReportMachine> all_;
};

inline void fake_report_machine(services::Call& call, const shapes::stoker::ReportMachine& report) {
  auto instance = state::find_ec2_instance(call.tx, report.instanceId);
  ASSERT_TRUE(instance);
  ASSERT_EQ(call.caller.account, instance->account);
  ASSERT_EQ(call.caller.region, instance->region);
  using state::Ec2State;
  if (!report.machine.empty()) instance->machine_json = report.machine;
  if (report.event == "started" && instance->state == Ec2State::Pending) instance->state = Ec2State::Running;
  if (report.event == "failed" || report.event == "lost") instance->state = Ec2State::Terminated;
  if (report.event == "stopped") {
    instance->state = instance->state == Ec2State::Stopping ? Ec2State::Stopped : Ec2State::Terminated;
  }
  state::update_ec2_instance(call.tx, *instance);
  call.wake(std::string(state::kMachinesTopic));
  Reports& reports = call.local<Reports>();
  call.tx.on_end([&reports, report](bool committed) {
    if (committed) reports.add(report);
  });
}

class MachineLoopFixture : public testing::Test {
 protected:
  MachineLoopFixture() {
    base::set_log_level(base::LogLevel::Off);
    locals_.add<Reports>();
    directory_.add("ec2", {services::operation<&fake_report_machine>("ReportMachine", services::Access::Write)});
  }
  ~MachineLoopFixture() override {
    stop_loop();
    base::set_log_level(base::LogLevel::Info);
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void start_loop(std::unique_ptr<InstanceProvider> provider) {
    MachineLoopSettings settings{folder_ + "/instances", model::built_in_instance_types()};
    machines_ = std::make_unique<MachineLoop>(io_, engine_, std::move(provider), std::move(settings));
    loops_ = std::make_unique<api::Loops>(io_, engine_, std::vector<api::Loop>{machines_->loop()});
  }
  // As a crash does: nothing but the rows remains.
  void stop_loop() {
    loops_.reset();
    machines_.reset();
  }

  void add(const std::string& id, const std::string& type = "g4dn.xlarge",
           state::Ec2State as = state::Ec2State::Pending) {
    state::Ec2Instance instance{.id = id, .account = "111111111111", .region = "eu-west-1", .zone = "eu-west-1a", .type = type};
    instance.state = as;
    write([&](store::Tx& tx) { state::insert_ec2_instance(tx, instance); });
  }
  void set_state(const std::string& id, state::Ec2State as) {
    write([&](store::Tx& tx) {
      auto instance = state::find_ec2_instance(tx, id);
      instance->state = as;
      state::update_ec2_instance(tx, *instance);
    });
  }
  void set_record(const std::string& id, const MachineRecord& record) {
    write([&](store::Tx& tx) {
      auto instance = state::find_ec2_instance(tx, id);
      instance->machine_json = write_record(record);
      state::update_ec2_instance(tx, *instance);
    });
  }
  MachineRecord record(const std::string& id) {
    MachineRecord found;
    store_->write_now([&](store::Tx& tx) { found = read_record(state::find_ec2_instance(tx, id)->machine_json); });
    return found;
  }
  std::size_t keys() {
    std::size_t count = 0;
    store_->write_now([&](store::Tx& tx) { count = state::list_keys(tx).size(); });
    return count;
  }
  Reports& reports() { return locals_.get<Reports>(); }

  const std::string folder_ = testing::TempDir() + "machines-" + base::random_uuid();

 private:
  void write(const std::function<void(store::Tx&)>& work) {
    store_->write_now(work);
    topics_.wake(std::string(state::kMachinesTopic));
  }

  base::SystemClock clock_;
  http::IoThreads io_{2};
  std::unique_ptr<store::Store> store_ =
      store::open_test_store(folder_, {state::key_migrations(), state::ec2_instance_migrations()});
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  std::unique_ptr<MachineLoop> machines_;
  std::unique_ptr<api::Loops> loops_;
};

}  // namespace control::providers
