// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/policy.h"

#include "services/arn.h"
#include "services/shape_json.h"

namespace services::application_autoscaling {
namespace {

constexpr std::string_view kPolicyPrefix = "scalingPolicy:";
constexpr std::size_t kUuidSize = 36;

StoredPolicy read_policy(const store::Row& row) {
  return {row.integer(0), row.integer(1), row.str(2),
          from_json<shapes::application_autoscaling::ScalingPolicy>(row.text(3))};
}

}  // namespace

std::string policy_arn(const StoredTarget& target, const std::string& uuid, const std::string& name) {
  const std::string resource =
      std::string(kPolicyPrefix) + uuid + ":resource/ecs/" + target.resource + ":policyName/" + name;
  return Arn{"autoscaling", target.region, target.account, resource}.str();
}

std::string uuid_of_policy(const std::string& arn) {
  const auto parsed = parse_arn(arn, "autoscaling");
  if (!parsed || !parsed->resource.starts_with(kPolicyPrefix)) return "";
  const std::string_view uuid = parsed->resource.substr(kPolicyPrefix.size(), kUuidSize);
  const bool valid = uuid.size() == kUuidSize && uuid.find_first_not_of("0123456789abcdef-") == uuid.npos;
  return valid ? std::string(uuid) : "";
}

std::optional<StoredPolicy> find_policy(store::Tx& tx, std::int64_t target, const std::string& name) {
  return tx
      .query("SELECT id, target, uuid, body FROM scalable_target_policies WHERE target = $1 AND name = $2", target, name)
      .one(read_policy);
}

std::optional<StoredPolicy> find_policy_by_uuid(store::Tx& tx, const std::string& uuid) {
  return tx.query("SELECT id, target, uuid, body FROM scalable_target_policies WHERE uuid = $1", uuid).one(read_policy);
}

std::vector<StoredPolicy> list_policies(store::Tx& tx, std::int64_t target) {
  return tx.query("SELECT id, target, uuid, body FROM scalable_target_policies WHERE target = $1 ORDER BY id", target)
      .all(read_policy);
}

void insert_policy(store::Tx& tx, StoredPolicy& policy) {
  policy.number = tx.insert(
      "INSERT INTO scalable_target_policies (target, name, uuid, body, created_at) VALUES ($1, $2, $3, $4, $5)",
      policy.target, policy.body.PolicyName, policy.uuid, to_json(policy.body), policy.body.CreationTime);
}

void update_policy(store::Tx& tx, const StoredPolicy& policy) {
  tx.exec("UPDATE scalable_target_policies SET body = $2 WHERE id = $1", policy.number, to_json(policy.body));
}

void delete_policy(store::Tx& tx, std::int64_t number) {
  tx.exec("DELETE FROM scalable_target_policies WHERE id = $1", number);
}

}  // namespace services::application_autoscaling
