// SPDX-License-Identifier: Apache-2.0
// The results: one line per cell, then the ratios, which are comparable between machines,
// beside their targets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/measure.h"

namespace bench {

// The result of one load: "put" or "get" of objects of one size.
struct Cell {
  std::string subject, work;
  std::uint64_t size = 0;
  int connections = 0;
  Measured measured;
};

struct Listing {
  std::uint64_t keys = 0, listed = 0;
  double fill_rate = 0;        // keys a second
  std::vector<Seconds> pages;  // in order

  Seconds median(std::size_t begin, std::size_t end) const;
  // The median of the last tenth of all pages, divided by the first tenth's.
  double last_of_first() const;
};

struct Huge {
  std::uint64_t bytes = 0;
  std::uint64_t before = 0, after_in = 0, after_out = 0;  // the server's peak memory
  Seconds in{0}, out{0};
};

// "4 KiB"
std::string size_text(std::uint64_t bytes);

class Report {
 public:
  void heading() const;
  void add(const Cell& cell) { cells_.push_back(cell); }
  // Prints the median of each cell's rounds.
  void print_cells(const std::string& work, std::uint64_t size) const;
  void add(const Listing& listing);
  void add(const Huge& huge);
  void note(const std::string& line);

  // The ratios and targets.
  void print_summary() const;
  void write_json(const std::string& file) const;

 private:
  struct Place {
    std::string subject, work;
    std::uint64_t size = 0;
    int connections = 0;
  };
  // A cell's rounds, in their order.
  std::vector<const Cell*> rounds(const Place& place) const;
  // The round with the median rate.
  const Cell* find(const Place& place) const;
  // Stoker's rate divided by the other's, or the other's CPU time divided by Stoker's: the median of the
  // ratios of all rounds, because other load affects both in a round. More is better.
  using Worth = double (*)(const Cell& ours, const Cell& theirs);
  std::optional<double> ratio(const Place& ours, const Place& theirs, Worth worth) const;
  std::optional<double> ratio(const Place& other, Worth worth) const;
  std::vector<Place> places() const;
  void print_ratios() const;
  void print_targets() const;
  void print_ratio_targets(const Place& other, double target) const;

  std::vector<Cell> cells_;
  std::optional<Listing> listing_;
  std::optional<Huge> huge_;
  std::vector<std::string> notes_;
};

}  // namespace bench
