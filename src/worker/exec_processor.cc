// SPDX-License-Identifier: Apache-2.0
#include "worker/exec_processor.h"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <optional>

#include "base/duration.h"
#include "base/file.h"
#include "worker/lines.h"

namespace worker {
namespace asio = boost::asio;
namespace {

constexpr char kInput[] = "{input}";
constexpr char kOutput[] = "{output}";
constexpr base::Duration kLastErrors = std::chrono::seconds(1);  // for what is left in the pipe

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Removes a file at the end of its scope.
struct ScopedFile {
  explicit ScopedFile(std::string name) : path(std::move(name)) {}
  ScopedFile(const ScopedFile&) = delete;
  ~ScopedFile() { ::unlink(path.c_str()); }

  std::string path;
};

// Counts a running command, also if its coroutine is cancelled.
struct RunningCommand {
  RunningCommand(std::size_t& number, http::Signal& signal) : count(number), ended(signal) { ++count; }
  RunningCommand(const RunningCommand&) = delete;
  ~RunningCommand() {
    --count;
    ended.notify();
  }

  std::size_t& count;
  http::Signal& ended;
};

Answer read_output(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) return Failure{"OutputMissing", "the command did not write its output file"};
  const base::File file = base::File::open(path);
  const std::uint64_t size = file.size();
  if (size > kMaxResultBytes) {
    return Failure{"ResultTooLarge", "the output has " + std::to_string(size) + " bytes; the limit is " +
                                         std::to_string(kMaxResultBytes)};
  }
  std::string text(size, '\0');
  text.resize(file.pread(text.data(), text.size(), 0));
  return Result{result_of_output(std::move(text))};
}

Failure failed_command(int status, const std::string& errors) {
  const bool permanent = WIFEXITED(status) && WEXITSTATUS(status) == kPermanentExit;
  return {"CommandFailed", describe_status(status) + (errors.empty() ? "" : ": " + errors), permanent};
}

}  // namespace

std::string exec_command(std::string command, const std::string& input, const std::string& output) {
  replace_all(command, kInput, base::shell_quoted(input));
  replace_all(command, kOutput, base::shell_quoted(output));
  return command;
}

asio::awaitable<Answer> ExecProcessor::answer(Item& item) {
  while (running_ >= rules_.concurrency && !item.message->cancelled) {
    co_await ended_.wait(http::kLongestWait);
  }
  if (item.message->cancelled) co_return Cancelled{};
  RunningCommand counted(running_, ended_);
  Answer answer = co_await run(item);
  co_return answer;
}

asio::awaitable<Answer> ExecProcessor::run(Item& item) {
  const ScopedFile output(item.input + ".out");
  ChildCommand command;
  command.words = command_words(exec_command(rules_.command, item.input, output.path));
  if (rules_.command.find(kOutput) == std::string::npos) command.output_file = output.path;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto child = Child::start(executor, std::move(command));
  if (!child) co_return Failure{"CommandFailed", child.error()};
  on_start_(item);
  children_[&item] = child->get();
  std::shared_ptr<Child> shared = std::move(*child);  // with the copy of stderr, which may end later
  asio::co_spawn(executor, shared->copy_errors(), [shared](std::exception_ptr) {});
  std::optional<int> status;
  try {
    status = co_await shared->wait(rules_.timeout);
  } catch (...) {
    children_.erase(&item);
    shared->kill();
    throw;
  }
  children_.erase(&item);
  shared->kill();  // what it left in the background, too: it holds the output open
  if (item.message->cancelled) co_return Cancelled{};
  if (!status) {
    co_await shared->wait(kLastErrors);
    co_return Failure{"Timeout", "no result within " + base::duration_text(rules_.timeout) + "; the command was killed"};
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    co_return failed_command(*status, shared->last_errors());
  }
  co_return read_output(output.path);
}

void ExecProcessor::cancel(Item& item) {
  const auto found = children_.find(&item);
  if (found != children_.end()) found->second->kill();
  ended_.notify();
}

asio::awaitable<void> ExecProcessor::stop() {
  for (auto& [item, child] : children_) child->kill();
  co_return;
}

}  // namespace worker
