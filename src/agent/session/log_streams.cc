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
#include "base/bytes.h"
#include "base/log.h"
#include "base/utf8.h"

namespace agent {
namespace asio = boost::asio;
using shapes::agent::StokerLogLine;
using shapes::agent::StokerLogLines;
using shapes::agent::StokerReadLogs;
namespace {

constexpr std::size_t kBatchLines = 32;
// A log may be read faster than the network sends it, and the send queue is bounded.
constexpr base::Duration kBetweenBatches = std::chrono::milliseconds(20);
constexpr base::Duration kPollWithoutInotify = std::chrono::milliseconds(250);
constexpr std::size_t kEventBytes = 16 * 1024;

// One container's log. Its bytes are sent as they are: also a line that has no end yet.
class Source {
 public:
  Source(std::string container, const std::string& path, std::size_t last)
      : container_(std::move(container)), reader_(path, last) {}

  // True: more records may be available now.
  bool read(std::vector<StokerLogLine>& lines) {
    std::vector<drivers::LogLine> records = reader_.read(kBatchLines);
    for (drivers::LogLine& record : records) {
      StokerLogLine line{container_, base::to_millis(record.at), record.stream, std::move(record.text)};
      if (record.partial) line.partial = true;
      if (!base::is_utf8(line.text)) {
        line.base64 = base::to_base64(line.text);
        line.text = base::to_printable(line.text);
      }
      lines.push_back(std::move(line));
    }
    return records.size() == kBatchLines;
  }

 private:
  std::string container_;
  drivers::LogReader reader_;
};

}  // namespace

void LogStreams::begin(StokerReadLogs request, std::shared_ptr<http::WebSocket> socket) {
  if (running_.contains(request.requestId)) return;
  StokerLogLines rejection;
  rejection.requestId = request.requestId;
  rejection.end = true;
  const TaskRunner* task = tasks_.find(request.taskArn);
  if (!task) rejection.error = "task not found on this machine: " + request.taskArn;
  if (running_.size() >= kMaxLogStreams) rejection.error = "too many log streams on this machine";
  if (rejection.error) {
    send(*socket, "StokerLogLines", rejection);
    return;
  }
  start_watching();
  const std::string id = request.requestId;
  running_[id] = 0;  // the coroutine may have ended when spawn() returns
  const std::uint64_t coroutine = coroutines_.spawn("logs", run(std::move(request), std::move(socket)));
  if (running_.contains(id)) running_[id] = coroutine;
}

void LogStreams::start_watching() {
  if (tasks_watcher_ != 0) return;
  tasks_watcher_ = coroutines_.spawn("log news", watch_tasks());
  const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd < 0) return;
  files_ = std::make_unique<asio::posix::stream_descriptor>(machine_.executor, fd);
  coroutines_.spawn("log files", watch_files());
}

asio::awaitable<void> LogStreams::watch_tasks() {
  for (;;) {
    co_await machine_.changed.wait(kLongestWait);
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
    files_->close();  // no more watches: all streams poll from now on
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

// The last stream ends the watching, so that busy containers do not wake an idle agent.
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
    const bool selected = !request.containerName || *request.containerName == container.name;
    if (selected && container.status != kStopped) return false;
  }
  return true;
}

asio::awaitable<void> LogStreams::run(StokerReadLogs request, std::shared_ptr<http::WebSocket> socket) {
  const std::string id = request.requestId;
  try {
    co_await copy(std::move(request), std::move(socket));
  } catch (const boost::system::system_error&) {
    throw;  // cancelled by end(), which has removed it already
  } catch (const std::exception& error) {
    base::log_error("log stream failed", {{"request", id}, {"error", error.what()}});
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
  if (sources.empty()) batch.error = "container not found in the task: " + request.containerName.value_or("");
  for (;;) {
    // Checked before reading: once a container has ended, its log file is complete.
    const bool over = batch.error || !request.follow || has_ended(request);
    bool more = false;
    batch.lines.clear();
    for (Source& source : sources) more = source.read(batch.lines) || more;
    batch.end = over && !more;
    if (!batch.lines.empty() || batch.end) {
      const bool sent = send(*socket, "StokerLogLines", batch);
      if (batch.end || !sent) co_return;
    }
    const base::Duration longest = files_ ? kLongestWait : kPollWithoutInotify;
    if (more) {
      co_await sleep_for(kBetweenBatches);
    } else {
      co_await news_.wait(longest);
    }
  }
}

}  // namespace agent
