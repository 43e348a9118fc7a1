// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/group_instances.h"

#include "services/autoscaling/errors.h"
#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::LaunchTemplateSpecification;

const std::string kInstanceColumns =
    "i.number, i.id, i.grp, i.zone, i.type, i.image, i.lifecycle, i.healthy, i.protected, i.launch_configuration, "
    "i.launch_template, i.activity, i.skips_hooks, i.stop_requested, i.unhealthy_reason, i.replace_cause, "
    "i.machine_reason, i.launched_at, i.in_service_at, i.unhealthy_at, i.weight, i.balancing";
const std::string kSelectInstance = "SELECT " + kInstanceColumns + " FROM autoscaling_instances i";

GroupInstance read_instance(const store::Row& row) {
  GroupInstance instance;
  instance.number = row.integer(0);
  instance.id = row.str(1);
  instance.group = row.integer(2);
  instance.zone = row.str(3);
  instance.type = row.str(4);
  instance.image = row.str(5);
  instance.lifecycle = static_cast<Lifecycle>(row.integer(6));
  instance.healthy = row.boolean(7);
  instance.is_protected = row.boolean(8);
  instance.launch_configuration = row.maybe_str(9);
  if (!row.is_null(10)) instance.launch_template = from_json<LaunchTemplateSpecification>(row.text(10));
  instance.activity = row.str(11);
  instance.skips_hooks = row.boolean(12);
  instance.stop_requested = row.boolean(13);
  instance.unhealthy_reason = row.str(14);
  instance.replace_cause = row.str(15);
  instance.machine_reason = row.str(16);
  instance.launched_at = row.time(17);
  instance.in_service_at = row.maybe_time(18);
  instance.unhealthy_at = row.maybe_time(19);
  instance.weight = static_cast<std::int32_t>(row.integer(20));
  instance.is_balancing = row.boolean(21);
  return instance;
}

std::optional<std::string> template_json(const GroupInstance& instance) {
  return instance.launch_template ? std::optional(to_json(*instance.launch_template)) : std::nullopt;
}

}  // namespace

std::string_view text(Lifecycle lifecycle) {
  switch (lifecycle) {
    case Lifecycle::Pending: return "Pending";
    case Lifecycle::PendingWait: return "Pending:Wait";
    case Lifecycle::PendingProceed: return "Pending:Proceed";
    case Lifecycle::InService: return "InService";
    case Lifecycle::EnteringStandby: return "EnteringStandby";
    case Lifecycle::Standby: return "Standby";
    case Lifecycle::Detaching: return "Detaching";
    case Lifecycle::Terminating: return "Terminating";
    case Lifecycle::TerminatingWait: return "Terminating:Wait";
    case Lifecycle::TerminatingProceed: break;
  }
  return "Terminating:Proceed";
}

std::vector<GroupInstance> list_group_instances(store::Tx& tx, std::int64_t group) {
  static const std::string sql = kSelectInstance + " WHERE i.grp = $1 ORDER BY i.number";
  return tx.query(sql, group).all(read_instance);
}

std::optional<GroupInstance> find_group_instance(store::Tx& tx, const std::string& id) {
  static const std::string sql = kSelectInstance + " WHERE i.id = $1";
  if (id.find('\0') != id.npos) return std::nullopt;
  return tx.query(sql, id).one(read_instance);
}

GroupInstance find_instance_of(store::Tx& tx, const Group& group, const std::string& id) {
  auto found = find_group_instance(tx, id);
  if (!found || found->group != group.number) {
    throw validation_error("The instance " + id + " is not part of Auto Scaling group " + group.name + ".");
  }
  return std::move(*found);
}

void insert_group_instance(store::Tx& tx, GroupInstance& instance) {
  instance.number =
      tx.query(
            "INSERT INTO autoscaling_instances (id, grp, zone, type, image, lifecycle, healthy, protected, "
            "launch_configuration, launch_template, activity, skips_hooks, stop_requested, unhealthy_reason, "
            "replace_cause, "
            "machine_reason, launched_at, in_service_at, unhealthy_at, weight, balancing) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) "
            "RETURNING number",
            instance.id, instance.group, instance.zone, instance.type, instance.image,
            static_cast<std::int64_t>(instance.lifecycle), instance.healthy, instance.is_protected,
            instance.launch_configuration, template_json(instance), instance.activity, instance.skips_hooks,
            instance.stop_requested, instance.unhealthy_reason, instance.replace_cause, instance.machine_reason,
            instance.launched_at, instance.in_service_at, instance.unhealthy_at, instance.weight,
            instance.is_balancing)
          .integer();
}

void update_group_instance(store::Tx& tx, const GroupInstance& instance) {
  tx.exec(
      "UPDATE autoscaling_instances SET lifecycle = $2, healthy = $3, protected = $4, activity = $5, "
      "skips_hooks = $6, stop_requested = $7, unhealthy_reason = $8, replace_cause = $9, in_service_at = $10, "
      "unhealthy_at = $11, balancing = $12 WHERE id = $1",
      instance.id, static_cast<std::int64_t>(instance.lifecycle), instance.healthy, instance.is_protected,
      instance.activity, instance.skips_hooks, instance.stop_requested, instance.unhealthy_reason,
      instance.replace_cause, instance.in_service_at, instance.unhealthy_at, instance.is_balancing);
}

void delete_group_instance(store::Tx& tx, const std::string& id) {
  tx.exec("DELETE FROM autoscaling_instances WHERE id = $1", id);
}

void set_machine_reason(store::Tx& tx, const std::string& id, const std::string& reason) {
  tx.exec("UPDATE autoscaling_instances SET machine_reason = $2 WHERE id = $1", id, reason);
}

std::vector<InstanceOfGroup> list_instances(store::Tx& tx, const std::string& account, const std::string& region,
                                            const std::string& after, std::int64_t most) {
  static const std::string sql = "SELECT " + kInstanceColumns +
                                 ", g.name FROM autoscaling_instances i JOIN autoscaling_groups g ON g.number = i.grp "
                                 "WHERE g.account = $1 AND g.region = $2 AND i.id > $3 ORDER BY i.id LIMIT $4";
  return tx.query(sql, account, region, after, most).all([](const store::Row& row) {
    return InstanceOfGroup{row.str(22), read_instance(row)};
  });
}

}  // namespace services::autoscaling
