// SPDX-License-Identifier: Apache-2.0
// Creates, changes and deletes groups.
#include <algorithm>

#include "services/logs/errors.h"
#include "services/logs/group.h"
#include "services/logs/ingest.h"
#include "services/logs/operations.h"
#include "services/logs/tag_rules.h"
#include "services/logs/topics.h"
#include "services/shape_json.h"
#include "shapes/logs/log_group.h"
#include "telemetry/logs/batch.h"

namespace services::logs {
using namespace shapes::logs;
namespace {

// Amazon's quota. Counting takes time, so that it is checked now and then.
constexpr std::int64_t kMaxGroups = 1000000, kCheckEvery = 1000;
constexpr std::int32_t kRetentions[] = {1,   3,   5,   7,   14,  30,   60,   90,   120,  150,  180,
                                        365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653};

void check_group_count(Call& call, std::int64_t id) {
  if (id % kCheckEvery != 0) return;
  const std::int64_t count =
      call.tx.query("SELECT count(*) FROM logs_groups WHERE account = $1 AND region = $2 AND deleted = 0",
                    call.caller.account, call.caller.region)
          .integer();
  if (count > kMaxGroups) throw resource_limit_exceeded();
}

wire::ApiError unknown_key(const std::string& group) {
  return invalid_parameter("The specified KMS Key Id could not be found. '" + group + "'");
}

void create_log_group(Call& call, const CreateLogGroupRequest& request) {
  check_group_name(request.logGroupName);
  // There is no key management service, so that no key exists.
  if (request.kmsKeyId) throw unknown_key(request.logGroupName);
  if (request.logGroupClass == "DELIVERY") throw unsupported("the log group class DELIVERY");
  const auto tags = request.tags.value_or(std::map<std::string, std::string>());
  check_tags(tags);
  if (find_group(call, request.logGroupName)) {
    throw wire::ApiError("ResourceAlreadyExistsException", "The specified log group already exists");
  }
  const std::int64_t id = call.tx.insert(
      "INSERT INTO logs_groups (account, region, name, class, created_at, protected, deleted, streams, metric_filters,"
      " tags) VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, $7)",
      call.caller.account, call.caller.region, request.logGroupName, request.logGroupClass.value_or(kStandard),
      call.now, request.deletionProtectionEnabled.value_or(false), to_json(tags));
  check_group_count(call, id);
  telemetry::open_log(call.tx, id);
}

// Its events and streams are deleted later, in slices, so that this takes the same time for any group.
void delete_log_group(Call& call, const DeleteLogGroupRequest& request) {
  check_group_name(request.logGroupName);
  const Group group = require_group(call, request.logGroupName);
  check_unprotected(group);
  call.tx.exec("UPDATE logs_groups SET deleted = 1 WHERE id = $1", group.id);
  after_delete(call, group);
  call.wake(kSweepTopic);
}

void put_retention_policy(Call& call, const PutRetentionPolicyRequest& request) {
  check_group_name(request.logGroupName);
  const Group group = require_group(call, request.logGroupName);
  if (std::find(std::begin(kRetentions), std::end(kRetentions), request.retentionInDays) == std::end(kRetentions)) {
    throw invalid_parameter("1 validation error detected: Value '" + std::to_string(request.retentionInDays) +
                            "' at 'retentionInDays' failed to satisfy constraint: Member must satisfy enum value set: "
                            "[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, "
                            "2922, 3288, 3653]");
  }
  call.tx.exec("UPDATE logs_groups SET retention_days = $2 WHERE id = $1", group.id, request.retentionInDays);
  call.wake(kSweepTopic);
}

void delete_retention_policy(Call& call, const DeleteRetentionPolicyRequest& request) {
  check_group_name(request.logGroupName);
  const Group group = require_group(call, request.logGroupName);
  call.tx.exec("UPDATE logs_groups SET retention_days = NULL WHERE id = $1", group.id);
}

void put_log_group_deletion_protection(Call& call, const PutLogGroupDeletionProtectionRequest& request) {
  const Group group = require_identified_group(call, request.logGroupIdentifier);
  call.tx.exec("UPDATE logs_groups SET protected = $2 WHERE id = $1", group.id, request.deletionProtectionEnabled);
}

Group group_of_key_request(Call& call, const std::optional<std::string>& name,
                           const std::optional<std::string>& resource) {
  if (name && resource) throw invalid_parameter("logGroupName and resourceIdentifier are mutually exclusive.");
  if (resource && resource->ends_with(":query-result:*")) throw unsupported("keys for the results of queries");
  return require_group(call, name, resource);
}

void associate_kms_key(Call& call, const AssociateKmsKeyRequest& request) {
  const Group group = group_of_key_request(call, request.logGroupName, request.resourceIdentifier);
  throw unknown_key(group.name);
}

// No group has a key, so that there is nothing to remove.
void disassociate_kms_key(Call& call, const DisassociateKmsKeyRequest& request) {
  group_of_key_request(call, request.logGroupName, request.resourceIdentifier);
}

}  // namespace

std::vector<Operation> group_operations() {
  return {
      operation<&create_log_group>("CreateLogGroup", Access::Write),
      operation<&delete_log_group>("DeleteLogGroup", Access::Write),
      operation<&put_retention_policy>("PutRetentionPolicy", Access::Write),
      operation<&delete_retention_policy>("DeleteRetentionPolicy", Access::Write),
      operation<&put_log_group_deletion_protection>("PutLogGroupDeletionProtection", Access::Write),
      operation<&associate_kms_key>("AssociateKmsKey", Access::Write),
      operation<&disassociate_kms_key>("DisassociateKmsKey", Access::Read),
  };
}

}  // namespace services::logs
