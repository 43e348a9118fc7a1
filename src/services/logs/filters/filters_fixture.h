// SPDX-License-Identifier: Apache-2.0
// Test support: Logs beside recorders in the place of CloudWatch and SQS.
#pragma once

#include <functional>
#include <set>

#include "services/logs/logs_fixture.h"
#include "services/logs/patterns/json_tape.h"
#include "shapes/cloudwatch/metric_data.h"
#include "shapes/logs/metric_filter.h"
#include "shapes/logs/subscription_filter.h"
#include "shapes/sqs/message.h"

namespace services::logs {

// Calls of the last transaction are kept; a handler may run more than once.
struct Recorder {
  std::vector<shapes::cloudwatch::PutMetricDataInput> metrics;
  std::vector<shapes::sqs::SendMessageRequest> messages;
  std::vector<std::string> principals;
  std::size_t longest_message = 1 << 20;
  bool reject = false;
};

inline void record_metrics(Call& call, const shapes::cloudwatch::PutMetricDataInput& input) {
  Recorder& recorder = call.local<Recorder>();
  if (recorder.reject) throw wire::ApiError("InvalidParameterValue", "rejected");
  recorder.metrics.push_back(input);
  recorder.principals.push_back(call.caller.service + " " + call.caller.account + " " + call.caller.region);
}

inline shapes::sqs::SendMessageResult record_message(Call& call, const shapes::sqs::SendMessageRequest& request) {
  Recorder& recorder = call.local<Recorder>();
  if (recorder.reject) throw wire::ApiError("QueueDoesNotExist", "The specified queue does not exist.");
  if (request.MessageBody.size() > recorder.longest_message) {
    throw wire::ApiError("InvalidParameterValueException", "too long");
  }
  recorder.messages.push_back(request);
  recorder.principals.push_back(call.caller.service + " " + call.caller.source_arn);
  return {};
}

class FiltersTest : public LogsTest {
 protected:
  FiltersTest() {
    locals_.add<Recorder>();
    directory_.add("cloudwatch", {operation<&record_metrics>("PutMetricData", Access::Write)});
    directory_.add("sqs", {operation<&record_message>("SendMessage", Access::Write)});
    make_group("g");
    make_stream("g", "s");
  }

  Recorder& recorder() { return locals_.get<Recorder>(); }
  PutMetricFilterRequest filter(const std::string& pattern, const std::string& value = "1") const {
    PutMetricFilterRequest request{.logGroupName = "g", .filterName = "f", .filterPattern = pattern};
    request.metricTransformations.push_back({.metricName = "m", .metricNamespace = "n", .metricValue = value});
    return request;
  }
  void put_filter(const PutMetricFilterRequest& request) { run<void>("PutMetricFilter", request); }
  std::string put_filter_error(const PutMetricFilterRequest& request) {
    return error_of([&] { put_filter(request); });
  }

  // PutLogEvents with so many events that they are matched on a snapshot first, as the server runs it: again where that is
  // outdated. `between` runs after the first snapshot. The number of snapshots.
  int put_many(Lines lines, const std::function<void()>& between = {}) {
    while (lines.size() <= 10) lines.push_back({lines.back().first, "filler"});
    PutLogEventsRequest request{.logGroupName = "g", .logStreamName = "s"};
    for (const auto& [ms, message] : lines) request.logEvents.push_back({base::to_millis(now_) + ms, message});
    const Operation* put = directory_.find("logs", "PutLogEvents");
    EXPECT_TRUE(put->needs_preparation(&request));
    for (int snapshots = 1;; ++snapshots) {
      std::shared_ptr<const void> prepared;
      store_->read_now([&](store::Tx& tx) {
        Call call{tx, caller_, now_, now_, &locals_, &directory_};
        prepared = put->prepare(call, &request);
      });
      if (snapshots == 1 && between) between();
      try {
        with_call([&](Call& call) {
          call.prepared = prepared.get();
          put->run(call, &request);
        });
        return snapshots;
      } catch (const Outdated&) {
      }
    }
  }

  // "namespace/metric{dimension=value}=1x2" of each recorded datum: values with their counts.
  std::vector<std::string> metrics() {
    std::vector<std::string> out;
    for (const auto& input : recorder().metrics) {
      for (const auto& datum : *input.MetricData) {
        std::string text = input.Namespace + "/" + datum.MetricName + "{";
        if (datum.Dimensions) for (const auto& one : *datum.Dimensions) text += one.Name + "=" + one.Value;
        text += "}=";
        if (datum.Value) text += number_text(*datum.Value);
        for (std::size_t i = 0; datum.Values && i < datum.Values->size(); ++i) {
          text += (i ? "," : "") + number_text((*datum.Values)[i]) + (datum.Counts ? "x" + number_text((*datum.Counts)[i]) : "");
        }
        if (datum.Unit) text += " " + *datum.Unit;
        out.push_back(text);
      }
    }
    recorder().metrics.clear();
    return out;
  }
};

}  // namespace services::logs
