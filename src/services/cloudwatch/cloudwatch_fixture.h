// SPDX-License-Identifier: Apache-2.0
// Test support: CloudWatch's operations on a database of their own, at a time that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "services/cloudwatch/module.h"
#include "services/cloudwatch/watched_series.h"
#include "services/directory.h"
#include "services/metric_interest.h"
#include "shapes/cloudwatch/metric_data.h"
#include "shapes/cloudwatch/metric_query.h"
#include "store/test_store.h"
#include "telemetry/metrics/metric_store.h"
#include "wire/error.h"

namespace services::cloudwatch {

using namespace shapes::cloudwatch;

class CloudWatchTest : public testing::Test {
 protected:
  CloudWatchTest() : folder_(testing::TempDir() + "cloudwatch-" + base::random_uuid()) { open(); }
  ~CloudWatchTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Like a start of the server: the memory is empty, and recovered from the database. The database stays open, because
  // a PostgreSQL schema of a test ends with its store.
  void open() {
    if (!store_) store_ = store::open_test_store(folder_, {module_.migrations});
    locals_ = std::make_unique<Locals>();
    module_.add_memory(*locals_);
    with_call([&](Call& call) { module_.recover(call); });
  }

  template <class Fn>
  void with_call(Fn&& fn) {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, locals_.get(), &directory_};
      fn(call);
      wakes_ = call.wakes;
    });
  }

  // An operation by its name: run<GetMetricDataOutput>("GetMetricData", input).
  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    const auto& rows = module_.service.operations;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Operation& one) { return one.wire.name == name; });
    CHECK(row != rows.end() && row->wire.input == &wire::type_of<Input>()) << name;
    Erased output = detail::nothing();
    with_call([&](Call& call) { output = row->run(call, &input); });
    if constexpr (!std::is_void_v<Output>) return std::move(*static_cast<Output*>(output.get()));
  }

  void put(const PutMetricDataInput& input) { run<void>("PutMetricData", input); }
  void put(const MetricDatum& datum) { put(PutMetricDataInput{.Namespace = "Jobs", .MetricData = {{datum}}}); }
  MetricDatum datum(double value, base::Time at) const {
    MetricDatum datum{.MetricName = "Latency"};
    datum.Value = value;
    datum.Timestamp = at;
    datum.StorageResolution = 1;
    return datum;
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
  // One turn of a loop: it looks on a snapshot and applies its decision, if there is one. When the next is due.
  std::optional<base::Time> take_turn(const std::string& name) {
    auto loop = std::find_if(module_.loops.begin(), module_.loops.end(), [&](const Loop& l) { return l.name == name; });
    CHECK(loop != module_.loops.end()) << name;
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, locals_.get(), &directory_};
      decision = loop->look(call);
    });
    wakes_.clear();
    if (decision.apply) with_call(decision.apply);
    return decision.next;
  }
  std::int64_t count_rows(const std::string& table) {
    std::int64_t count = 0;
    with_call([&](Call& call) { count = call.tx.query("SELECT count(*) FROM " + table).integer(); });
    return count;
  }
  telemetry::MetricStore& points() { return locals_->get<telemetry::MetricStore>(); }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  Module module_ = module({});
  std::unique_ptr<Locals> locals_;
  Directory directory_;  // of the services that tests call
  const Caller nobody_;  // whose loops run
  Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
};

}  // namespace services::cloudwatch
