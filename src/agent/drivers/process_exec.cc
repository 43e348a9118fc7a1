// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_exec.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>

#include "agent/drivers/exec_launch.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
using ExecDescriptor = asio::posix::stream_descriptor;
using ExecTimer = asio::steady_timer;

// After the command's end, for output that is still on its way, while others hold the stream open.
constexpr base::Duration kExecDrainTime = std::chrono::seconds(2);

constexpr char kEndOfInput = 4;  // on a terminal

// A descriptor that is closed with this object.
struct OwnedFd {
  OwnedFd() = default;
  OwnedFd(const OwnedFd&) = delete;
  ~OwnedFd() { close(); }
  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  int release() { return std::exchange(fd, -1); }
  int fd = -1;
};

// The command's stdin, stdout and stderr: our ends and its ends. A terminal is all three.
struct ExecFiles {
  OwnedFd input, output, errors;                    // ours
  OwnedFd command_input, command_output, command_errors;  // its

  std::array<int, 3> for_command(bool terminal) const {
    if (terminal) return {command_input.fd, command_input.fd, command_input.fd};
    return {command_input.fd, command_output.fd, command_errors.fd};
  }
};

bool open_pipe(OwnedFd& read, OwnedFd& write) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read.fd = ends[0];
  write.fd = ends[1];
  return true;
}

void set_window(int terminal, int rows, int columns) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  ::ioctl(terminal, TIOCSWINSZ, &size);
}

std::string open_terminal(ExecFiles& files, const ExecRequest& request) {
  files.output.fd = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 128> name{};
  const bool opened = files.output.fd >= 0 && ::grantpt(files.output.fd) == 0 && ::unlockpt(files.output.fd) == 0 &&
                      ::ptsname_r(files.output.fd, name.data(), name.size()) == 0;
  if (opened) files.command_input.fd = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (files.command_input.fd < 0) return std::string("cannot open a terminal: ") + std::strerror(errno);
  if (request.rows > 0 && request.columns > 0) set_window(files.output.fd, request.rows, request.columns);
  return "";
}

std::string open_files(ExecFiles& files, const ExecRequest& request) {
  if (request.terminal) return open_terminal(files, request);
  const bool opened = open_pipe(files.output, files.command_output) && open_pipe(files.errors, files.command_errors) &&
                      (!request.input || open_pipe(files.command_input, files.input));
  return opened ? "" : std::string("pipe: ") + std::strerror(errno);
}

// Shared with handlers that may be queued when the stream is destroyed.
struct ExecChannels {
  ExecChannels(const asio::any_io_executor& executor)
      : output(executor), errors(executor), input(executor), wake(executor) {}
  ExecDescriptor output, errors, input;
  ExecTimer wake;
  std::array<bool, 3> armed = {};
};

class ProcessExec final : public ExecStream {
 public:
  ProcessExec(const asio::any_io_executor& executor, std::unique_ptr<ExecLauncher> launcher, ExecFiles& files,
              bool terminal)
      : launcher_(std::move(launcher)), channels_(std::make_shared<ExecChannels>(executor)), terminal_(terminal) {
    assign(channels_->output, files.output);
    assign(channels_->errors, files.errors);
    assign(channels_->input, files.input);
  }

  std::int64_t pid() const override { return launcher_->pid(); }
  asio::awaitable<ExecOutput> read() override;
  asio::awaitable<bool> write(std::string bytes) override;
  asio::awaitable<void> end_input() override;
  asio::awaitable<void> resize(int rows, int columns) override {
    if (terminal_ && channels_->output.is_open()) set_window(channels_->output.native_handle(), rows, columns);
    co_return;
  }
  asio::awaitable<void> signal(int number) override {
    launcher_->signal(number);
    co_return;
  }
  asio::awaitable<void> hang_up() override {
    launcher_->hang_up();
    co_return;
  }
  asio::awaitable<ExecEnd> end() override;

 private:
  static void assign(ExecDescriptor& channel, OwnedFd& file) {
    if (file.fd < 0) return;
    ::fcntl(file.fd, F_SETFL, O_NONBLOCK);
    channel.assign(file.release());
  }
  bool take(ExecDescriptor& from, ExecSource source, ExecOutput& output);
  void arm(std::size_t index, ExecDescriptor& descriptor);

  std::unique_ptr<ExecLauncher> launcher_;
  std::shared_ptr<ExecChannels> channels_;
  bool terminal_;
  ExecTimer::time_point drained_at_ = ExecTimer::time_point::max();
};

// False: nothing there, or the channel has ended and is closed.
bool ProcessExec::take(ExecDescriptor& from, ExecSource source, ExecOutput& output) {
  while (from.is_open()) {
    output.bytes.resize(kMaxExecPiece);
    const ssize_t got = ::read(from.native_handle(), output.bytes.data(), output.bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) break;  // a terminal's end is EIO
    output.bytes.resize(static_cast<std::size_t>(got));
    output.source = source;
    return true;
  }
  boost::system::error_code ignored;
  if (from.is_open()) from.close(ignored);
  return false;
}

void ProcessExec::arm(std::size_t index, ExecDescriptor& descriptor) {
  if (channels_->armed[index] || !descriptor.is_open()) return;
  channels_->armed[index] = true;
  const std::weak_ptr<ExecChannels> weak = channels_;
  descriptor.async_wait(ExecDescriptor::wait_read, [weak, index](const boost::system::error_code&) {
    const auto channels = weak.lock();
    if (!channels) return;
    channels->armed[index] = false;
    channels->wake.cancel();
  });
}

asio::awaitable<ExecOutput> ProcessExec::read() {
  for (;;) {
    ExecOutput output;
    const bool ended = launcher_->end().has_value();
    if (take(channels_->output, ExecSource::Stdout, output)) co_return output;
    if (take(channels_->errors, ExecSource::Stderr, output)) co_return output;
    const bool closed = !channels_->output.is_open() && !channels_->errors.is_open();
    if (ended && drained_at_ == ExecTimer::time_point::max()) drained_at_ = ExecTimer::clock_type::now() + kExecDrainTime;
    if (closed || ExecTimer::clock_type::now() >= drained_at_) co_return ExecOutput{};
    arm(0, channels_->output);
    arm(1, channels_->errors);
    if (!ended) arm(2, launcher_->control());
    const std::shared_ptr<ExecChannels> channels = channels_;
    channels->wake.expires_at(drained_at_);
    boost::system::error_code woken;
    co_await channels->wake.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    asio::cancellation_state stopped = co_await asio::this_coro::cancellation_state;
    if (stopped.cancelled() != asio::cancellation_type::none) co_return ExecOutput{};
  }
}

asio::awaitable<bool> ProcessExec::write(std::string bytes) {
  const std::shared_ptr<ExecChannels> channels = channels_;
  ExecDescriptor& to = terminal_ ? channels->output : channels->input;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    if (!to.is_open()) co_return false;
    const ssize_t put = ::write(to.native_handle(), rest.data(), rest.size());
    if (put > 0) rest.remove_prefix(static_cast<std::size_t>(put));
    if (put > 0 || (put < 0 && errno == EINTR)) continue;
    if (put == 0 || errno != EAGAIN) co_return false;
    auto [error] = co_await to.async_wait(ExecDescriptor::wait_write, asio::as_tuple(asio::use_awaitable));
    if (error) co_return false;
  }
  co_return true;
}

asio::awaitable<void> ProcessExec::end_input() {
  if (terminal_) {
    [[maybe_unused]] const bool sent = co_await write(std::string(1, kEndOfInput));
    co_return;
  }
  boost::system::error_code ignored;
  if (channels_->input.is_open()) channels_->input.close(ignored);
}

asio::awaitable<ExecEnd> ProcessExec::end() {
  while (!launcher_->end()) {
    auto [error] = co_await launcher_->control().async_wait(ExecDescriptor::wait_read, asio::as_tuple(asio::use_awaitable));
    if (error) co_return ExecEnd{137, error.message()};
  }
  // A write may wait for a process in the background to read.
  for (ExecDescriptor* channel : {&channels_->input, &channels_->output, &channels_->errors}) {
    boost::system::error_code ignored;
    if (channel->is_open()) channel->close(ignored);
  }
  co_return *launcher_->end();
}

}  // namespace

asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> exec_in_process(std::vector<std::string> shim, ExecSpec spec,
                                                                           ExecRequest request) {
  ExecFiles files;
  const std::string error = open_files(files, request);
  if (!error.empty()) co_return base::Error{error};
  spec.command = request.command;
  spec.terminal = request.terminal;
  spec.term = exec_term(request);
  const std::array<int, 3> descriptors = files.for_command(request.terminal);
  auto launcher = co_await ExecLauncher::start(std::move(shim), std::move(spec), descriptors);
  if (!launcher) co_return base::Error{launcher.error()};
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  std::unique_ptr<ExecStream> stream =
      std::make_unique<ProcessExec>(executor, std::move(*launcher), files, request.terminal);
  co_return std::move(stream);
}

}  // namespace agent::drivers
