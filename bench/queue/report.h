// SPDX-License-Identifier: Apache-2.0
// What was measured, and what is said about it: a line a cell, then the ratios, which
// hold on any machine, beside their targets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "subject.h"
#include "support/measure.h"

namespace bench {

// One load, measured.
struct Cell {
  std::string subject;
  Work work = Work::Send;
  int connections = 0;
  Measured measured;
};

struct Deep {
  std::int64_t messages = 0;
  double fill_rate = 0;   // messages a second
  double deep_rate = 0;   // messages received and deleted a second, of many
  double empty_rate = 0;  // and of few
  Seconds stop{0}, start{0}, first_message{0};
};

class Report {
 public:
  // Prints each as it comes.
  void heading() const;
  void add(const Cell& cell);
  void add(const Deep& deep);
  void note(const std::string& line);

  // The ratios and targets.
  void print_summary() const;
  void write_json(const std::string& file) const;

 private:
  // The median of a cell's rounds, by what it got done in a second.
  const Cell* find(const std::string& subject, Work work, int connections) const;
  void print_ratios() const;
  void print_targets() const;

  std::vector<Cell> cells_;
  std::optional<Deep> deep_;
  std::vector<std::string> notes_;
};

}  // namespace bench
