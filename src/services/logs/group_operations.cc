// SPDX-License-Identifier: Apache-2.0
#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/operations.h"
#include "services/shape_json.h"
#include "shapes/logs/log_group.h"
#include "telemetry/logs/batch.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

// Amazon's quota. Counting takes time, so that it is checked now and then.
constexpr std::int64_t kMaxGroups = 1000000, kCheckEvery = 1000;

void check_group_count(Call& call, std::int64_t id) {
  if (id % kCheckEvery != 0) return;
  const std::int64_t count =
      call.tx.query("SELECT count(*) FROM logs_groups WHERE account = $1 AND region = $2 AND deleted = 0",
                    call.caller.account, call.caller.region)
          .integer();
  if (count > kMaxGroups) throw resource_limit_exceeded();
}

void create_log_group(Call& call, const CreateLogGroupRequest& request) {
  check_group_name(request.logGroupName);
  if (request.kmsKeyId) {
    throw invalid_parameter("The specified KMS Key Id could not be found. '" + request.logGroupName + "'");
  }
  if (find_group(call, request.logGroupName)) {
    throw wire::ApiError("ResourceAlreadyExistsException", "The specified log group already exists");
  }
  const std::string tags = to_json(request.tags.value_or(std::map<std::string, std::string>()));
  const std::int64_t id = call.tx.insert(
      "INSERT INTO logs_groups (account, region, name, class, created_at, protected, deleted, streams, metric_filters,"
      " tags) VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, $7)",
      call.caller.account, call.caller.region, request.logGroupName, request.logGroupClass.value_or(kStandard),
      call.now, request.deletionProtectionEnabled.value_or(false), tags);
  check_group_count(call, id);
  telemetry::open_log(call.tx, id);
}

}  // namespace

std::vector<Operation> group_operations() {
  return {operation<&create_log_group>("CreateLogGroup", Access::Write)};
}

}  // namespace services::logs
