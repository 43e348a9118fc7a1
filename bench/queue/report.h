// SPDX-License-Identifier: Apache-2.0
// The results: one line per cell, then the ratios, which are comparable between machines,
// beside their targets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "subject.h"
#include "support/measure.h"

namespace bench {

// The result of one load.
struct Cell {
  std::string subject;
  Work work = Work::Send;
  int connections = 0;
  Measured measured;
};

struct Deep {
  std::int64_t messages = 0;
  double fill_rate = 0;   // messages a second
  double deep_rate = 0;   // messages received and deleted per second, with a full queue
  double empty_rate = 0;  // and with a nearly empty one
  Seconds stop{0}, start{0}, first_message{0};
};

class Report {
 public:
  // Prints each result at once.
  void heading() const;
  void add(const Cell& cell);
  void add(const Deep& deep);
  void note(const std::string& line);

  // The ratios and targets.
  void print_summary() const;
  void write_json(const std::string& file) const;

 private:
  // The round of a cell with the median rate.
  const Cell* find(const std::string& subject, Work work, int connections) const;
  void print_ratios() const;
  void print_targets() const;

  std::vector<Cell> cells_;
  std::optional<Deep> deep_;
  std::vector<std::string> notes_;
};

}  // namespace bench
