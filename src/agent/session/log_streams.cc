// SPDX-License-Identifier: Apache-2.0
#include "agent/session/log_streams.h"

#include <sys/inotify.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <list>
#include <utility>

#include "agent/drivers/log_file.h"
#include "agent/session/socket.h"
#include "base/log.h"
#include "base/utf8.h"

namespace agent {
namespace asio = boost::asio;
using shapes::agent::StokerLogLine;
using shapes::agent::StokerLogLines;
using shapes::agent::StokerReadLogs;
namespace {

constexpr std::size_t kBatchLines = 32;
constexpr std::size_t kMaxJoinedBytes = 64 * 1024;
// A log is read faster than a line may carry it, and what waits to be sent is bounded.
constexpr base::Duration kBetweenBatches = std::chrono::milliseconds(20);
constexpr base::Duration kLookForMore = std::chrono::milliseconds(250);  // where nobody tells of news
constexpr std::size_t kEventBytes = 16 * 1024;

// One container's log, cut into lines again where a record was too short for one.
class Source {
 public:
  Source(std::string container, const std::string& path, std::size_t last)
      : container_(std::move(container)), reader_(path, last) {}

  // True: there may be more at once.
  bool read(std::vector<StokerLogLine>& lines) {
    std::vector<drivers::LogLine> records = reader_.read(kBatchLines);
    for (drivers::LogLine& record : records) {
      StokerLogLine& begun = begun_[record.stream];
      if (begun.text.empty()) begun.at = base::to_millis(record.at);
      begun.text += record.text;
      if (record.partial && begun.text.size() < kMaxJoinedBytes) continue;
      lines.push_back({container_, begun.at, record.stream, base::to_printable(begun.text)});
      begun_.erase(record.stream);
    }
    return records.size() == kBatchLines;
  }

 private:
  std::string container_;
  drivers::LogReader reader_;
  std::map<std::string, StokerLogLine> begun_;  // by stream
};

}  // namespace

void LogStreams::begin(StokerReadLogs request, std::shared_ptr<http::WebSocket> socket) {
  if (running_.contains(request.requestId)) return;
  StokerLogLines refusal;
  refusal.requestId = request.requestId;
  refusal.end = true;
  const TaskRunner* task = tasks_.find(request.taskArn);
  if (!task) refusal.error = "this machine has no task " + request.taskArn;
  if (running_.size() >= kMaxLogStreams) refusal.error = "too many logs are being read on this machine";
  if (refusal.error) {
    send(*socket, "StokerLogLines", refusal);
    return;
  }
  begin_to_watch();
  const std::string id = request.requestId;
  running_[id] = 0;  // a coroutine may be over when spawn() returns
  const std::uint64_t coroutine = coroutines_.spawn("logs", run(std::move(request), std::move(socket)));
  if (running_.contains(id)) running_[id] = coroutine;
}

void LogStreams::begin_to_watch() {
  if (tasks_watcher_ != 0) return;
  tasks_watcher_ = coroutines_.spawn("log news", watch_tasks());
  const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd < 0) return;
  files_ = std::make_unique<asio::posix::stream_descriptor>(machine_.executor, fd);
  coroutines_.spawn("log files", watch_files());
}

asio::awaitable<void> LogStreams::watch_tasks() {
  for (;;) {
    co_await machine_.changed.wait(kLookAgain);
    news_.notify();
  }
}

asio::awaitable<void> LogStreams::watch_files() {
  std::array<char, kEventBytes> events;
  for (;;) {
    co_await files_->async_read_some(asio::buffer(events), asio::use_awaitable);
    news_.notify();
  }
}

void LogStreams::watch(const std::string& log_file) {
  const std::string folder = std::filesystem::path(log_file).parent_path().string();
  if (!files_) return;
  if (::inotify_add_watch(files_->native_handle(), folder.c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
    files_->close();  // no more of them: all look for themselves from now on
    files_.reset();
  }
}

void LogStreams::end(const std::string& request_id) {
  auto found = running_.find(request_id);
  if (found == running_.end()) return;
  const std::uint64_t coroutine = found->second;
  forget(request_id);
  coroutines_.cancel(coroutine);
}

// With the last of them all watching ends: a container that writes much must not wake us for nobody.
void LogStreams::forget(const std::string& request_id) {
  running_.erase(request_id);
  if (!running_.empty()) return;
  coroutines_.cancel(std::exchange(tasks_watcher_, 0));
  if (files_) files_->close();
  files_.reset();
}

void LogStreams::end_all() {
  while (!running_.empty()) end(std::string(running_.begin()->first));
}

bool LogStreams::has_ended(const StokerReadLogs& request) const {
  const TaskRunner* task = tasks_.find(request.taskArn);
  if (!task) return true;
  for (const ContainerRecord& container : task->record().containers) {
    const bool asked = !request.containerName || *request.containerName == container.name;
    if (asked && container.status != kStopped) return false;
  }
  return true;
}

asio::awaitable<void> LogStreams::run(StokerReadLogs request, std::shared_ptr<http::WebSocket> socket) {
  const std::string id = request.requestId;
  try {
    co_await copy(std::move(request), std::move(socket));
  } catch (const boost::system::system_error&) {
    throw;  // ended, and forgotten already
  } catch (const std::exception& error) {
    base::log_error("log not read", {{"request", id}, {"error", error.what()}});
  }
  forget(id);
}

asio::awaitable<void> LogStreams::copy(StokerReadLogs request, std::shared_ptr<http::WebSocket> socket) {
  std::list<Source> sources;
  const std::size_t last = request.tail ? static_cast<std::size_t>(std::max(*request.tail, 0)) : drivers::kAllLines;
  const TaskRunner* task = tasks_.find(request.taskArn);
  for (std::size_t i = 0; task && i < task->record().containers.size(); ++i) {
    const std::string& name = task->record().containers[i].name;
    if (request.containerName && *request.containerName != name) continue;
    const std::string file = machine_.store.log_file(request.taskArn, name);
    if (request.follow) watch(file);
    sources.emplace_back(name, file, last);
  }
  StokerLogLines batch;
  batch.requestId = request.requestId;
  if (sources.empty()) batch.error = "the task has no container " + request.containerName.value_or("");
  for (;;) {
    // Asked first: when a container has ended, all that it wrote is in its file.
    const bool over = batch.error || !request.follow || has_ended(request);
    bool more = false;
    batch.lines.clear();
    for (Source& source : sources) more = source.read(batch.lines) || more;
    batch.end = over && !more;
    if (!batch.lines.empty() || batch.end) {
      const bool sent = send(*socket, "StokerLogLines", batch);
      if (batch.end || !sent) co_return;
    }
    const base::Duration longest = files_ ? kLookAgain : kLookForMore;
    if (more) {
      co_await sleep_for(kBetweenBatches);
    } else {
      co_await news_.wait(longest);
    }
  }
}

}  // namespace agent
