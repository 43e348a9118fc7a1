// SPDX-License-Identifier: Apache-2.0
#include "agent/log_streams.h"

#include <list>

#include "agent/drivers/log_file.h"
#include "agent/socket.h"
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
constexpr base::Duration kLookForMore = std::chrono::milliseconds(250);
// A driver may still be copying the last lines of a container that has ended.
constexpr int kQuietLooks = 4;

// One container's log, cut into lines again where a record was too short for one.
class Source {
 public:
  Source(std::string container, const std::string& path, std::size_t last)
      : container_(std::move(container)), reader_(path, last) {}

  // False: there was nothing new.
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
    return !records.empty();
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
  const std::string id = request.requestId;
  running_[id] = coroutines_.spawn("logs", run(std::move(request), std::move(socket)));
}

void LogStreams::end(const std::string& request_id) {
  auto found = running_.find(request_id);
  if (found == running_.end()) return;
  const std::uint64_t coroutine = found->second;
  running_.erase(found);
  coroutines_.cancel(coroutine);
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
  std::list<Source> sources;
  const std::size_t last = request.tail ? static_cast<std::size_t>(std::max(*request.tail, 0)) : drivers::kAllLines;
  const TaskRunner* task = tasks_.find(request.taskArn);
  for (std::size_t i = 0; task && i < task->record().containers.size(); ++i) {
    const std::string& name = task->record().containers[i].name;
    if (request.containerName && *request.containerName != name) continue;
    sources.emplace_back(name, machine_.store.log_file(request.taskArn, name), last);
  }
  StokerLogLines batch;
  batch.requestId = request.requestId;
  if (sources.empty()) batch.error = "the task has no container " + request.containerName.value_or("");
  for (int quiet = 0;;) {
    const bool over = batch.error || !request.follow || has_ended(request);
    bool more = false;
    batch.lines.clear();
    for (Source& source : sources) more = source.read(batch.lines) || more;
    quiet = more ? 0 : quiet + 1;
    batch.end = over && !more && (!request.follow || quiet >= kQuietLooks || batch.error);
    if (!batch.lines.empty() || batch.end) {
      const bool sent = send(*socket, "StokerLogLines", batch);
      if (batch.end || !sent) break;
    }
    const base::Duration pause = more ? kBetweenBatches : kLookForMore;
    co_await sleep_for(pause);
  }
  running_.erase(request.requestId);
}

}  // namespace agent
