// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_attach.h"

#include <boost/asio/this_coro.hpp>

#include "agent/drivers/log_file.h"
#include "agent/drivers/process_state.h"
#include "agent/drivers/shim_launch.h"
#include "agent/drivers/sleep.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;

constexpr base::Duration kAttachPoll = std::chrono::milliseconds(100);
constexpr std::size_t kAttachRecords = 16;  // at a time, each of 16 KiB at most

class ProcessAttach final : public ExecStream {
 public:
  ProcessAttach(std::string folder, const std::string& log_file, bool from_start, std::int64_t pid)
      : folder_(std::move(folder)), log_(log_file, from_start ? kAllLines : 0), pid_(pid) {}

  std::int64_t pid() const override { return pid_; }
  asio::awaitable<ExecOutput> read() override;
  asio::awaitable<bool> write(std::string) override { co_return false; }
  asio::awaitable<void> end_input() override { co_return; }
  asio::awaitable<void> resize(int, int) override { co_return; }
  asio::awaitable<void> signal(int number) override {
    if (ShimHandle::find(folder_)) signal_session(static_cast<pid_t>(pid_), number);
    co_return;
  }
  asio::awaitable<void> hang_up() override {
    detached_ = true;
    co_return;
  }
  asio::awaitable<ExecEnd> end() override {
    const auto exit = read_exit(folder_);
    if (!exit) co_return ExecEnd{137, detached_ ? "detached" : "its exit status is not known"};
    co_return ExecEnd{exit->code, exit->error};
  }

 private:
  bool take(ExecOutput& output);

  std::string folder_;
  LogReader log_;
  std::int64_t pid_;
  std::vector<LogLine> lines_;  // read but not passed on
  std::size_t next_ = 0;
  bool detached_ = false;
};

// Lines of one stream.
bool ProcessAttach::take(ExecOutput& output) {
  if (next_ == lines_.size()) {
    lines_ = log_.read(kAttachRecords);
    next_ = 0;
  }
  if (next_ == lines_.size()) return false;
  const LogLine& line = lines_[next_++];
  output.source = line.stream == "stderr" ? ExecSource::Stderr : ExecSource::Stdout;
  output.bytes = line.text + (line.partial ? "" : "\n");
  return true;
}

asio::awaitable<ExecOutput> ProcessAttach::read() {
  while (!detached_) {
    // Read before the log: a process that has ended has written everything.
    const bool ended = !ShimHandle::find(folder_);
    ExecOutput output;
    if (take(output)) co_return output;
    if (ended) break;
    co_await sleep_for(kAttachPoll);
  }
  co_return ExecOutput{};
}

}  // namespace

base::Result<std::unique_ptr<ExecStream>> attach_to_process(std::string folder, const ShimSpec& spec,
                                                            const ExecRequest& request) {
  if (request.input) {
    return base::Error{"a process has no input to attach to: use `stoker attach --no-stdin`, or `stoker exec`"};
  }
  if (spec.log_file.empty()) return base::Error{"the output of this process is not kept"};
  const auto started = read_started(folder);
  std::unique_ptr<ExecStream> stream =
      std::make_unique<ProcessAttach>(std::move(folder), spec.log_file, request.logs, started ? started->pid : 0);
  return stream;
}

}  // namespace agent::drivers
