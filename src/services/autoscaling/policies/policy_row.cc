// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policy_row.h"

#include "services/arn.h"
#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

// Statements end in a condition of their own.
#define POLICY_COLUMNS \
  "SELECT id, grp, account, region, group_name, name, uuid, terms, alarm_high, alarm_low, wanted, wanted_at, " \
  "wanted_alarm, wanted_state FROM autoscaling_policies "

PolicyRow read_policy(const store::Row& row) {
  PolicyRow policy;
  policy.number = row.integer(0);
  policy.group = row.integer(1);
  policy.account = row.str(2);
  policy.region = row.str(3);
  policy.group_name = row.str(4);
  policy.name = row.str(5);
  policy.uuid = row.str(6);
  policy.terms = from_json<shapes::autoscaling::PutScalingPolicyType>(row.text(7));
  policy.alarm_high = row.str(8);
  policy.alarm_low = row.str(9);
  if (!row.is_null(10)) policy.wanted = static_cast<std::int32_t>(row.integer(10));
  policy.wanted_at = row.maybe_time(11);
  policy.wanted_alarm = row.str(12);
  policy.wanted_state = row.str(13);
  return policy;
}

}  // namespace

std::string PolicyRow::arn() const {
  return "arn:aws:autoscaling:" + region + ":" + account + ":scalingPolicy:" + uuid + ":autoScalingGroupName/" +
         group_name + ":policyName/" + name;
}

std::optional<std::string> policy_uuid(std::string_view text) {
  constexpr std::string_view kPrefix = "scalingPolicy:";
  const auto arn = parse_arn(text, "autoscaling");
  if (!arn || !arn->resource.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = arn->resource.substr(kPrefix.size());
  const auto end = rest.find(':');
  if (end == rest.npos || !rest.substr(end).starts_with(":autoScalingGroupName/")) return std::nullopt;
  return std::string(rest.substr(0, end));
}

std::optional<PolicyRow> load_policy(store::Tx& tx, std::int64_t group, const std::string& name) {
  return tx.query(POLICY_COLUMNS "WHERE grp = $1 AND name = $2", group, name).one(read_policy);
}

std::optional<PolicyRow> load_policy(Call& call, const std::string& uuid) {
  return call.tx
      .query(POLICY_COLUMNS "WHERE uuid = $1 AND account = $2 AND region = $3", uuid, call.caller.account,
             call.caller.region)
      .one(read_policy);
}

std::vector<PolicyRow> list_policies(store::Tx& tx, std::int64_t group) {
  return tx.query(POLICY_COLUMNS "WHERE grp = $1 ORDER BY id", group).all(read_policy);
}

void each_policy(Call& call, std::int64_t group, std::int64_t after, const std::function<void(PolicyRow)>& use) {
  call.tx
      .query(POLICY_COLUMNS "WHERE account = $1 AND region = $2 AND id > $3 AND (grp = $4 OR $4 = 0) ORDER BY id",
             call.caller.account, call.caller.region, after, group)
      .each([&](const store::Row& row) { use(read_policy(row)); });
}

void save_policy(store::Tx& tx, PolicyRow& policy) {
  const std::string terms = to_json(policy.terms);
  if (policy.number != 0) {
    tx.exec("UPDATE autoscaling_policies SET terms = $2, alarm_high = $3, alarm_low = $4, wanted = $5, wanted_at = $6, "
            "wanted_alarm = $7, wanted_state = $8 WHERE id = $1",
            policy.number, terms, policy.alarm_high, policy.alarm_low, policy.wanted, policy.wanted_at,
            policy.wanted_alarm, policy.wanted_state);
    return;
  }
  policy.number = tx.insert(
      "INSERT INTO autoscaling_policies (grp, account, region, group_name, name, uuid, terms, alarm_high, alarm_low, "
      "wanted, wanted_at, wanted_alarm, wanted_state) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
      policy.group, policy.account, policy.region, policy.group_name, policy.name, policy.uuid, terms,
      policy.alarm_high, policy.alarm_low, policy.wanted, policy.wanted_at, policy.wanted_alarm, policy.wanted_state);
}

void delete_policy_row(store::Tx& tx, std::int64_t number) {
  tx.exec("DELETE FROM autoscaling_policies WHERE id = $1", number);
}

}  // namespace services::autoscaling
