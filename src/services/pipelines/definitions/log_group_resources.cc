// SPDX-License-Identifier: Apache-2.0
#include "services/invoke.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "shapes/logs/log_group.h"
#include "shapes/logs/tag.h"

namespace services::pipelines {
namespace {

namespace logs = shapes::logs;

constexpr char kLogGroupKind[] = "log group";

std::optional<logs::LogGroup> find_log_group(Call& call, const std::string& name) {
  logs::DescribeLogGroupsRequest request;
  request.logGroupNamePrefix = name;
  request.limit = 1;  // by name: the group itself comes before those that continue its name
  const auto found = invoke<logs::DescribeLogGroupsResponse>(call, call.caller, "logs", "DescribeLogGroups", request);
  for (const logs::LogGroup& group : found.logGroups.value_or(std::vector<logs::LogGroup>())) {
    if (group.logGroupName == name) return group;
  }
  return std::nullopt;
}

void set_log_retention(Call& call, const std::string& name, int days) {
  if (days == 0) {
    invoke(call, call.caller, "logs", "DeleteRetentionPolicy", logs::DeleteRetentionPolicyRequest{.logGroupName = name});
  } else {
    invoke(call, call.caller, "logs", "PutRetentionPolicy",
           logs::PutRetentionPolicyRequest{.logGroupName = name, .retentionInDays = days});
  }
}

}  // namespace

void reconcile_log_group(Reconciliation& work, const Desired& desired) {
  const std::string& name = desired.names.log_group;
  const auto group = find_log_group(work.call, name);
  claim(work, kLogGroupKind, name, group.has_value());
  if (!group) {
    work.created(kLogGroupKind, name);
    if (work.dry_run) return;
    logs::CreateLogGroupRequest request{.logGroupName = name};
    request.tags = work.tags();
    invoke(work.call, work.call.caller, "logs", "CreateLogGroup", request);
    if (desired.log_retention_days > 0) set_log_retention(work.call, name, desired.log_retention_days);
    return;
  }
  Comparison comparison(work, kLogGroupKind, name);
  const bool kept_differently =
      comparison.number("retentionInDays", group->retentionInDays.value_or(0), desired.log_retention_days);
  const std::string arn = group->logGroupArn.value_or("");
  const auto tags = invoke<logs::ListTagsForResourceResponse>(work.call, work.call.caller, "logs", "ListTagsForResource",
                                                        logs::ListTagsForResourceRequest{.resourceArn = arn})
                        .tags.value_or(std::map<std::string, std::string>());
  const auto tag = tags.find(kPipelineTag);
  const bool untagged = comparison.tag(tag == tags.end() ? "" : tag->second);
  if (work.dry_run) return;
  if (kept_differently) set_log_retention(work.call, name, desired.log_retention_days);
  if (!untagged) return;
  logs::TagResourceRequest tagging{.resourceArn = arn};
  tagging.tags = work.tags();
  invoke(work.call, work.call.caller, "logs", "TagResource", tagging);
}

void delete_log_group(Reconciliation& work, const Desired& desired) {
  const std::string& name = desired.names.log_group;
  if (!find_log_group(work.call, name)) return;
  work.deleted(kLogGroupKind, name);
  invoke(work.call, work.call.caller, "logs", "DeleteLogGroup", logs::DeleteLogGroupRequest{.logGroupName = name});
}

}  // namespace services::pipelines
