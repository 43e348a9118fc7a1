// SPDX-License-Identifier: Apache-2.0
// Reports the states of tasks to the server. There is no queue that a crash could lose: the next report
// follows from a task's record, which also holds what the server has acknowledged.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>

#include "agent/tasks/task_runner.h"
#include "shapes/ecs/state_change.h"

namespace agent {

using Report = shapes::ecs::SubmitTaskStateChangeRequest;

// Throws wire::ApiError for an error reply of the server, std::runtime_error where no reply came.
using Submit = std::function<boost::asio::awaitable<void>(Report)>;

// STOPPED once all containers have ended and the GPUs are free; RUNNING once all have started, and
// again when one container ends while others run. Nothing where the server has acknowledged the state.
// A RUNNING that was not acknowledged before the task stopped is never sent.
std::optional<Report> next_report(const TaskRecord& record);
void mark_reported(TaskRecord& record, const Report& report);

// True: the server rejects the report however often it is sent.
bool is_permanent_rejection(const std::string& code);

// Sends one report at a time, retrying until the server acknowledges it. Returns once STOPPED is
// acknowledged.
boost::asio::awaitable<void> deliver_reports(Machine& machine, TaskRunner& runner, Submit submit);

}  // namespace agent
