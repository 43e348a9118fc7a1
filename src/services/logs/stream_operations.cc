// SPDX-License-Identifier: Apache-2.0
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "shapes/logs/log_stream.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

void create_log_stream(Call& call, const CreateLogStreamRequest& request) {
  check_group_name(request.logGroupName);
  check_stream_name(request.logStreamName);
  const Group group = require_group(call, request.logGroupName);
  if (find_stream(call.tx, group.id, request.logStreamName)) {
    throw wire::ApiError("ResourceAlreadyExistsException", "The specified log stream already exists");
  }
  const std::int64_t number =
      call.tx.query("UPDATE logs_groups SET streams = streams + 1 WHERE id = $1 RETURNING streams", group.id).integer();
  call.tx.exec("INSERT INTO logs_streams (group_id, number, name, created_at) VALUES ($1, $2, $3, $4)", group.id,
               number, request.logStreamName, call.now);
}

}  // namespace

std::vector<Operation> stream_operations() {
  return {operation<&create_log_stream>("CreateLogStream", Access::Write)};
}

}  // namespace services::logs
