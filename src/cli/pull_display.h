// SPDX-License-Identifier: Apache-2.0
// What `stoker run` shows of the pull of its image: on a terminal one line that is rewritten, elsewhere a line now and
// then.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster_client.h"
#include "shapes/stoker/explain.h"

namespace cli {

// "pulling the image: 3 of 7 layers, 412 MiB of 1.2 GiB, extracting", at most so many columns.
std::string pull_line(const shapes::stoker::StokerPullState& pull, std::size_t columns);

// What a PENDING task pulls. nullopt: nothing, or the server does not answer.
std::optional<std::vector<shapes::stoker::StokerPullState>> pulls_of(ClusterClient& client, const std::string& task);

class PullDisplay {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kInterval{10};  // between two lines where there is no terminal

  // `columns`: of the terminal; nullopt without one.
  PullDisplay(std::optional<std::size_t> columns, std::ostream& err, Time now);
  ~PullDisplay() { clear(); }
  PullDisplay(const PullDisplay&) = delete;

  void show(const shapes::stoker::StokerTaskState& state, Time now);

 private:
  void print_progress(const std::string& line, Time now);
  void clear();

  const std::optional<std::size_t> columns_;
  std::ostream& err_;
  bool begun_ = false;  // a line was printed
  std::string shown_;   // the last one, while it is current
  Time next_;           // no line before this where there is no terminal
};

// nullopt: standard error is not a terminal.
std::optional<std::size_t> progress_columns(const std::ostream& err);

}  // namespace cli
