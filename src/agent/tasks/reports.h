// SPDX-License-Identifier: Apache-2.0
// Tells the server what became of tasks. There is no queue that could be lost: what is to be said
// follows from a task's record, which also keeps what the server has acknowledged.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>

#include "agent/tasks/task_runner.h"
#include "shapes/ecs/state_change.h"

namespace agent {

using Report = shapes::ecs::SubmitTaskStateChangeRequest;

// Throws wire::ApiError as the server answered, and std::runtime_error where it did not.
using Submit = std::function<boost::asio::awaitable<void>(Report)>;

// STOPPED once all has ended and its GPUs are free, else RUNNING once all has started; RUNNING
// again when a container ended beside others. Nothing that was acknowledged. A RUNNING that nobody
// heard of before the task stopped is never said.
std::optional<Report> next_report(const TaskRecord& record);
void mark_reported(TaskRecord& record, const Report& report);

// Whether the server will never take it, however often it is said.
bool is_final_refusal(const std::string& code);

// One at a time, tried until it is acknowledged; returns once STOPPED was.
boost::asio::awaitable<void> deliver_reports(Machine& machine, TaskRunner& runner, Submit submit);

}  // namespace agent
