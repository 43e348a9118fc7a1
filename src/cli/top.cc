// SPDX-License-Identifier: Apache-2.0
// stoker top
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <thread>

#include "cli/commands.h"
#include "cli/terminal_screen.h"
#include "cli/top_frame.h"
#include "cli/top_json.h"
#include "cli/top_snapshot.h"

namespace cli {
namespace {

constexpr auto kRefresh = std::chrono::seconds(1);
constexpr auto kPatience = std::chrono::milliseconds(200);  // for a request in progress, at the end
constexpr std::size_t kAllRows = 100'000;

// Reads a snapshot each second on a thread of its own, so that keys work while a server does not respond.
class SnapshotThread {
 public:
  explicit SnapshotThread(const Options& options)
      : reader_(options), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { read_all(); }) {}
  ~SnapshotThread() {
    thread_.join();
    ::close(wake_);
  }

  // An eventfd: there is a new snapshot.
  int wake() const { return wake_; }

  TopSnapshot last() {
    std::lock_guard lock(mutex_);
    return last_;
  }

  // Whether the thread has ended, or ends at once.
  bool stop() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    return changed_.wait_for(lock, kPatience, [this] { return ended_; });
  }

 private:
  void read_all() {
    for (;;) {
      TopSnapshot snapshot = reader_.read(base::SystemClock().now());
      std::unique_lock lock(mutex_);
      last_ = std::move(snapshot);
      const std::uint64_t one = 1;
      if (::write(wake_, &one, sizeof one) < 0) stopping_ = true;
      changed_.wait_for(lock, kRefresh, [this] { return stopping_; });
      if (!stopping_) continue;
      ended_ = true;
      changed_.notify_all();
      return;
    }
  }

  TopReader reader_;
  const int wake_;
  std::mutex mutex_;  // protects all below
  std::condition_variable changed_;
  bool stopping_ = false, ended_ = false;
  TopSnapshot last_;
  std::thread thread_;
};

void show_screen(SnapshotThread& snapshots, TerminalScreen& screen) {
  for (;;) {
    const TerminalScreen::Event event = screen.wait(snapshots.wake());
    if (event == TerminalScreen::Event::Quit) return;
    const TopSnapshot snapshot = snapshots.last();
    if (!snapshot.endpoint.empty()) screen.draw(make_frame(snapshot, screen.size()));
  }
}

// Two snapshots: rates need both.
TopSnapshot read_once(const Options& options) {
  TopReader reader(options);
  std::mutex mutex;
  std::condition_variable never;
  TopSnapshot snapshot = reader.read(base::SystemClock().now());
  if (!snapshot.pipelines.empty()) {
    std::unique_lock lock(mutex);
    never.wait_for(lock, kRefresh);
    snapshot = reader.read(base::SystemClock().now());
  }
  return snapshot;
}

}  // namespace

int top(const Options& options, bool once, std::ostream& out) {
  if (options.json) {
    print_top_json(out, read_once(options));
    return 0;
  }
  if (once || ::isatty(STDOUT_FILENO) == 0 || ::isatty(STDIN_FILENO) == 0) {
    for (const FrameLine& line : make_frame(read_once(options), {.rows = kAllRows})) out << line.text << '\n';
    return 0;
  }
  auto screen = std::make_unique<TerminalScreen>(STDIN_FILENO, STDOUT_FILENO);  // blocks signals before the thread starts
  SnapshotThread snapshots(options);
  show_screen(snapshots, *screen);
  screen.reset();
  if (!snapshots.stop()) ::_exit(0);  // a request waits for a server that does not respond
  return 0;
}

}  // namespace cli
