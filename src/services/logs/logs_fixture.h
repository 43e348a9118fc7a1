// SPDX-License-Identifier: Apache-2.0
// Test support: the operations of Logs on a database of their own, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "base/random.h"
#include "services/directory.h"
#include "services/logs/group.h"
#include "services/logs/module.h"
#include "services/usage_check.h"
#include "shapes/logs/log_event.h"
#include "shapes/logs/log_group.h"
#include "shapes/logs/log_stream.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::logs {

using namespace shapes::logs;

class LogsTest : public testing::Test {
 protected:
  LogsTest() : folder_(testing::TempDir() + "logs-" + base::random_uuid()) {
    std::filesystem::create_directories(folder_);
    Options options;
    options.data = folder_;
    module_ = module(options);
    store_ = store::open_test_store(folder_, {usage_migrations(), module_.migrations});
    if (module_.add_memory) module_.add_memory(locals_);
    directory_.add("logs", module_.service.operations);
  }
  ~LogsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // After every test.
  void TearDown() override { expect_exact_usage(*store_, module_.migrations); }

  // Runs fn(call) in a transaction, and records its wakes.
  template <class Fn>
  auto with_call(Fn&& fn) {
    using Result = std::invoke_result_t<Fn, Call&>;
    if constexpr (std::is_void_v<Result>) {
      store_->write_now([&](store::Tx& tx) {
        Call call{tx, caller_, now_, now_, &locals_, &directory_};
        fn(call);
        wakes_.clear();
        for (const Wake& wake : call.wakes) wakes_.push_back(wake.topic);
      });
    } else {
      Result result;
      with_call([&](Call& call) { result = fn(call); });
      return result;
    }
  }

  // An operation by its name: run<PutLogEventsResponse>("PutLogEvents", request).
  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    const Operation* row = directory_.find("logs", name);
    CHECK(row && row->wire.input == &wire::type_of<Input>()) << name;
    if constexpr (std::is_void_v<Output>) {
      with_call([&](Call& call) { row->run(call, &input); });
    } else {
      return with_call([&](Call& call) {
        const Erased output = row->run(call, &input);
        return std::move(*static_cast<Output*>(output.get()));
      });
    }
  }

  void make_group(const std::string& name) { run<void>("CreateLogGroup", CreateLogGroupRequest{.logGroupName = name}); }
  void make_stream(const std::string& group, const std::string& name) {
    run<void>("CreateLogStream", CreateLogStreamRequest{group, name});
  }
  using Lines = std::vector<std::pair<std::int64_t, std::string>>;  // milliseconds from now, message
  PutLogEventsResponse put(const std::string& group, const std::string& stream, const Lines& lines) {
    PutLogEventsRequest request{.logGroupName = group, .logStreamName = stream};
    for (const auto& [ms, message] : lines) request.logEvents.push_back({base::to_millis(now_) + ms, message});
    return run<PutLogEventsResponse>("PutLogEvents", request);
  }
  // "Code: message"; "" for none.
  template <class Fn>
  std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }
  // One turn of a loop: it looks on a snapshot and applies its decision, if there is one. When the next is due.
  std::optional<base::Time> take_turn(const std::string& name) {
    auto loop = std::find_if(module_.loops.begin(), module_.loops.end(), [&](const Loop& l) { return l.name == name; });
    CHECK(loop != module_.loops.end()) << name;
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_, &directory_};
      decision = loop->look(call);
      EXPECT_TRUE(call.wakes.empty());
    });
    if (decision.apply) with_call(decision.apply);
    return decision.next;
  }
  std::int64_t count_rows(const std::string& table) {
    return with_call([&](Call& call) { return call.tx.query("SELECT count(*) FROM " + table).integer(); });
  }

  std::string folder_;
  Module module_;
  std::unique_ptr<store::Store> store_;
  Locals locals_;
  Directory directory_;
  const Caller nobody_;  // whose loops run
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<std::string> wakes_;  // of the last call
};

}  // namespace services::logs
