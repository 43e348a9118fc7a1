// SPDX-License-Identifier: Apache-2.0
// Moving messages out of a dead-letter queue, in the background.
#include <algorithm>
#include <boost/json.hpp>

#include "base/random.h"
#include "services/sqs/errors.h"
#include "services/sqs/lot.h"
#include "services/sqs/message.h"
#include "services/sqs/operations.h"
#include "services/sqs/recent_counts.h"
#include "shapes/sqs/move_task.h"

namespace services::sqs {
using namespace shapes::sqs;
namespace {

// Woken when a task is started.
constexpr char kMoveTopic[] = "sqs/moves";
constexpr std::int32_t kMaxPerSecond = 500;
constexpr std::int32_t kMaxListed = 10;
// Messages in one transaction, so that senders do not wait long behind it.
constexpr std::int64_t kMoveSlice = 500;
constexpr auto kPace = std::chrono::milliseconds(100);

struct Task {
  std::string id;
  std::int64_t queue = 0;
  std::string source_arn;
  std::optional<std::string> destination_arn;
  std::optional<std::int64_t> per_second;
  std::string status;
  std::int64_t moved = 0, to_move = 0;
  base::Time started_at;
  std::optional<std::string> failure;
};

constexpr std::string_view kTaskColumns =
    "SELECT id, queue, source_arn, destination_arn, per_second, status, moved, to_move, started_at, failure"
    " FROM sqs_move_tasks ";

Task read_task(const store::Row& row) {
  return {row.str(0),     row.integer(1), row.str(2),     row.maybe_str(3), row.maybe_integer(4), row.str(5),
          row.integer(6), row.integer(7), row.time(8), row.maybe_str(9)};
}

Queue find_by_arn(Call& call, const std::string& arn, const char* parameter) {
  auto name = parse_queue_arn(arn);
  if (!name) throw invalid_parameter("You must use this format to specify the " + std::string(parameter) +
                                     ": arn:<partition>:<service>:<region>:<account-id>:<resource-id>");
  std::optional<Queue> queue;
  if (name->account == call.caller.account && name->region == call.caller.region) queue = load_queue(call.tx, *name);
  if (!queue) {
    throw wire::ApiError("ResourceNotFoundException", "The resource that you specified for the " +
                                                          std::string(parameter) + " parameter doesn't exist.");
  }
  return std::move(*queue);
}

bool is_dead_letter_queue(store::Tx& tx, const std::string& arn) {
  return tx.query("SELECT 1 FROM sqs_queues WHERE dead_letter_arn = $1 LIMIT 1", arn).integer() == 1;
}

std::string handle_of(const Task& task) {
  return base::to_base64(R"({"taskId":")" + task.id + R"(","sourceArn":")" + task.source_arn + R"("})");
}

// Amazon lists the ten most recent.
void forget_old_tasks(Call& call, const Queue& source) {
  call.tx.exec("DELETE FROM sqs_move_tasks WHERE queue = $1 AND status <> 'RUNNING' AND id NOT IN"
               " (SELECT id FROM sqs_move_tasks WHERE queue = $1 ORDER BY started_at DESC, id LIMIT $2)",
               source.id, kMaxListed - 1);
}

struct Handle {
  std::string id, source_arn;
};

Handle parse_task_handle(const std::string& handle) {
  auto text = base::from_base64(handle);
  boost::json::error_code error;
  const boost::json::value parsed = boost::json::parse(text.value_or(""), error);
  const auto* object = error ? nullptr : parsed.if_object();
  const auto* id = object ? object->if_contains("taskId") : nullptr;
  const auto* arn = object ? object->if_contains("sourceArn") : nullptr;
  if (!id || !arn || !id->is_string() || !arn->is_string()) {
    throw invalid_parameter("Value for parameter TaskHandle is invalid.");
  }
  return {std::string(id->get_string()), std::string(arn->get_string())};
}

// The queue to move a message to; nullopt where it is unknown or deleted.
std::optional<Queue> destination_of(Call& call, const Task& task, const std::optional<std::string>& source_arn) {
  const auto& arn = task.destination_arn ? task.destination_arn : source_arn;
  return arn ? load_queue(call.tx, *parse_queue_arn(*arn)) : std::nullopt;
}

void finish(Call& call, const Task& task, std::string_view status, const std::optional<std::string>& failure = {}) {
  call.tx.exec("UPDATE sqs_move_tasks SET status = $2, failure = $3 WHERE id = $1", task.id, status, failure);
}

struct Found {
  std::int64_t seq;
  std::optional<std::string> source_arn;
};

// Visible messages in the order of the index. Of a FIFO group only the head is visible, so
// they are moved one after another in order.
std::vector<Found> movable(Call& call, const Queue& source, std::int64_t most) {
  return call.tx
      .query("SELECT seq, source_arn FROM sqs_messages WHERE lot = $1 AND visible_at <= $2"
             " ORDER BY visible_at, receive_count, sent_at, seq LIMIT $3",
             source.lot, call.now, std::max<std::int64_t>(most, 0))
      .all([](const store::Row& row) { return Found{row.integer(0), row.maybe_str(1)}; });
}

// How many messages may be moved now, by the task's pace and the limit of a transaction.
std::int64_t allowance(const Call& call, const Task& task) {
  std::int64_t allowed = std::min(kMoveSlice, task.to_move - task.moved);
  if (!task.per_second) return allowed;
  const std::int64_t elapsed_ms = (call.now - task.started_at).count();
  return std::min(allowed, elapsed_ms * *task.per_second / 1000 - task.moved);
}

bool is_due(const Call& call, const Task& task) { return task.moved >= task.to_move || allowance(call, task) > 0; }

void advance(Call& call, const Task& task) {
  auto source = load_queue(call.tx, task.queue);
  if (!source || !is_due(call, task)) return;  // a deleted queue takes its tasks along
  const std::int64_t allowed = allowance(call, task);
  std::int64_t moved = 0;
  // Reads again after each page: moving a FIFO group's head makes the next message visible.
  for (auto found = movable(call, *source, allowed); !found.empty(); found = movable(call, *source, allowed - moved)) {
    for (const Found& message : found) {
      auto destination = destination_of(call, task, message.source_arn);
      if (!destination) {
        finish(call, task, "FAILED",
               task.destination_arn ? "AWS.SimpleQueueService.NonExistentQueue" : "CouldNotDetermineMessageSource");
        return;
      }
      revive_message(call, *source, *destination, message.seq);
      ++moved;
      call.tx.exec("UPDATE sqs_move_tasks SET moved = moved + 1 WHERE id = $1", task.id);
    }
  }
  if (moved == 0 || task.moved + moved >= task.to_move) finish(call, task, "COMPLETED");
}

void advance_tasks(Call& call, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    const auto task =
        call.tx.query(std::string(kTaskColumns) + "WHERE id = $1 AND status = 'RUNNING'", id).one(read_task);
    if (task) advance(call, *task);
  }
}

StartMessageMoveTaskResult start_message_move_task(Call& call, const StartMessageMoveTaskRequest& request) {
  Queue source = find_by_arn(call, request.SourceArn, "SourceArn");
  if (!is_dead_letter_queue(call.tx, source.arn())) {
    throw invalid_parameter("Source queue must be configured as a Dead Letter Queue.");
  }
  if (request.DestinationArn) {
    Queue destination = find_by_arn(call, *request.DestinationArn, "DestinationArn");
    if (destination.id == source.id) throw invalid_parameter("Source queue arn and destination queue arn cannot be the same.");
    if (destination.fifo != source.fifo) {
      throw invalid_parameter("The source and destination queues must be of the same type.");
    }
  }
  if (auto rate = request.MaxNumberOfMessagesPerSecond; rate && (*rate < 1 || *rate > kMaxPerSecond)) {
    throw invalid_value(std::to_string(*rate), "MaxNumberOfMessagesPerSecond",
                        "You must enter a value between 1 and 500.");
  }
  if (call.tx.query("SELECT 1 FROM sqs_move_tasks WHERE queue = $1 AND status = 'RUNNING'", source.id).integer()) {
    throw invalid_parameter("There is already a task running. Only one active task is allowed for a source queue arn at "
                            "a given time.");
  }
  forget_old_tasks(call, source);
  Task task{.id = base::random_uuid(), .source_arn = source.arn()};
  const Counts counts = call.local<RecentCounts>().count(call.tx, source, call.now);
  call.tx.exec(
      "INSERT INTO sqs_move_tasks (id, queue, source_arn, destination_arn, per_second, status, moved, to_move,"
      " started_at) VALUES ($1, $2, $3, $4, $5, 'RUNNING', 0, $6, $7)",
      task.id, source.id, task.source_arn, request.DestinationArn, request.MaxNumberOfMessagesPerSecond,
      counts.visible, call.now);
  call.wake(kMoveTopic);
  return {.TaskHandle = handle_of(task)};
}

CancelMessageMoveTaskResult cancel_message_move_task(Call& call, const CancelMessageMoveTaskRequest& request) {
  if (request.TaskHandle.empty()) throw missing_parameter("TaskHandle");
  const Handle handle = parse_task_handle(request.TaskHandle);
  Queue source = find_by_arn(call, handle.source_arn, "SourceArn");
  auto task = call.tx.query(std::string(kTaskColumns) + "WHERE queue = $1 AND id = $2", source.id, handle.id).one(read_task);
  if (!task) throw wire::ApiError("ResourceNotFoundException", "Task does not exist.");
  if (task->status != "RUNNING") {
    throw wire::ApiError("UnsupportedOperation", "Only a running task can be cancelled; the status of this one is " + task->status + ".");
  }
  finish(call, *task, "CANCELLED");
  return {.ApproximateNumberOfMessagesMoved = task->moved};
}

ListMessageMoveTasksResult list_message_move_tasks(Call& call, const ListMessageMoveTasksRequest& request) {
  Queue source = find_by_arn(call, request.SourceArn, "SourceArn");
  const std::int32_t most = request.MaxResults.value_or(1);
  if (most < 1 || most > kMaxListed) {
    throw invalid_value(std::to_string(most), "MaxResults", "Must be an integer value between 1 and 10.");
  }
  auto tasks = call.tx
                   .query(std::string(kTaskColumns) + "WHERE queue = $1 ORDER BY started_at DESC, id LIMIT $2", source.id,
                          most)
                   .all(read_task);
  std::vector<ListMessageMoveTasksResultEntry> entries;
  for (const Task& task : tasks) {
    ListMessageMoveTasksResultEntry& entry = entries.emplace_back();
    if (task.status == "RUNNING") entry.TaskHandle = handle_of(task);
    entry.Status = task.status;
    entry.SourceArn = task.source_arn;
    entry.DestinationArn = task.destination_arn;
    if (task.per_second) entry.MaxNumberOfMessagesPerSecond = static_cast<std::int32_t>(*task.per_second);
    entry.ApproximateNumberOfMessagesMoved = task.moved;
    entry.ApproximateNumberOfMessagesToMove = task.to_move;
    entry.FailureReason = task.failure;
    entry.StartedTimestamp = base::to_millis(task.started_at);
  }
  return {.Results = std::move(entries)};
}

// Tasks that are due are advanced, all in one transaction, and looked at again at once.
Decision look_for_moves(Call& call) {
  std::vector<std::string> due;
  bool running = false;
  for (const Task& task : call.tx.query(std::string(kTaskColumns) + "WHERE status = 'RUNNING'").all(read_task)) {
    running = true;
    if (is_due(call, task)) due.push_back(task.id);
  }
  if (!running) return {};
  if (due.empty()) return {.next = call.now + kPace};
  return {.apply = [due](Call& write) { advance_tasks(write, due); }, .next = call.now};
}

}  // namespace

std::vector<Operation> move_task_operations() {
  return {
      operation<&cancel_message_move_task>("CancelMessageMoveTask", Access::Write),
      operation<&list_message_move_tasks>("ListMessageMoveTasks", Access::Read),
      operation<&start_message_move_task>("StartMessageMoveTask", Access::Write),
  };
}

Loop move_loop() { return {"sqs moves", kMoveTopic, &look_for_moves}; }

}  // namespace services::sqs
