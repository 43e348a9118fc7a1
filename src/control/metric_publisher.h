// SPDX-License-Identifier: Apache-2.0
// Publishes the metrics of all services: it collects their measurements on a snapshot and writes them with CloudWatch's
// own PutMetricData. Active resources have their turn once a minute; metrics that are of interest, every second and
// when they change.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/module.h"

namespace control {

class MetricPublisher {
 public:
  struct Source {
    std::string principal;  // "sqs.amazonaws.com"
    std::function<services::Measured(services::Call&, const services::Due&)> measure;
  };
  explicit MetricPublisher(std::vector<Source> sources) : sources_(std::move(sources)) {}

  services::Decision look(services::Call& call);

 private:
  struct Point {
    std::string principal;
    services::Measurement measurement;
  };
  services::Due plan(services::Call& call);
  void write(services::Call& call) const;

  const std::vector<Source> sources_;
  std::set<services::MetricKey> interest_;
  base::Time next_minute_, next_second_;
  // What was measured and is not stored yet. A failed write is repeated with the next turn.
  std::vector<Point> unwritten_;
  bool written_ = true;
};

services::Loop publisher_loop(const std::vector<services::Module>& modules);

}  // namespace control
