// SPDX-License-Identifier: Apache-2.0
// The part of `stoker run` that waits for a task: for its place in the queue, its output and its end.
#pragma once

#include <atomic>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "base/stop_signals.h"
#include "cli/cluster_client.h"
#include "cli/pull_display.h"
#include "cli/standard_output.h"

namespace cli {

inline constexpr int kInterrupted = 130;  // as shells

// The first Ctrl-C stops the task; a second one ends this process. A closed standard output stops the task, too.
class Interrupt {
 public:
  Interrupt(base::StopSignals& signals, const Options& options, std::string task, std::ostream& err);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;

 private:
  void watch(base::StopSignals& signals);
  void stop_task(const std::string& reason);

  const Options options_;
  const std::string task_;
  std::ostream& err_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
  ClosedPipe closed_;
};

// "waiting at position 2 of 3; before it: 3fa94c1b2d77 of train:4". `waiting` has the tasks of the queue, the oldest first.
std::string queue_text(const std::vector<shapes::ecs::Task>& waiting, const std::string& task);

// Prints the task's position in the queue, and what it waits for, if the position is not the one that was shown before.
void show_position(ClusterClient& client, const std::string& task, std::string& shown, std::ostream& err);

// Until the task has a machine, or has stopped. Prints its position in the queue to `err` when it changes.
shapes::ecs::Task wait_for_machine(ClusterClient& client, const std::string& task, std::ostream& err);

// Until the task has left PENDING. Shows the pull of its image on `err`, and how long it took. `columns` as of
// PullDisplay.
void show_pull(ClusterClient& client, const std::string& task, std::optional<std::size_t> columns, std::ostream& err);

// Copies a task's output and waits for its end. Reopens a broken stream and skips what was already printed.
class Follower {
 public:
  Follower(ClusterClient& client, std::string task, std::ostream& out, std::ostream& err)
      : client_(client), task_(std::move(task)), out_(out), err_(err) {}

  shapes::ecs::Task until_stopped();

 private:
  bool copy();
  void copy_from_start();
  std::optional<shapes::ecs::Task> stopped_soon(int most);

  ClusterClient& client_;
  std::string task_;
  std::ostream& out_;
  std::ostream& err_;
  std::map<std::string, std::size_t> printed_;  // bytes by stream
  bool warned_ = false;
};

}  // namespace cli
