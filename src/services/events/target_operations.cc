// SPDX-License-Identifier: Apache-2.0
// PutTargets, ListTargetsByRule and RemoveTargets.
#include <set>

#include "services/arn.h"
#include "services/events/errors.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/events/target.h"
#include "services/events/target_input.h"
#include "services/shape_json.h"

namespace services::events {
using namespace shapes::events;

std::vector<Target> list_targets(Call& call, std::int64_t rule) {
  return call.tx.query("SELECT body FROM events_targets WHERE rule = $1 ORDER BY id", rule)
      .all([](const store::Row& row) { return from_json<Target>(row.text(0)); });
}

std::string log_group_of(const std::string& text) {
  const auto arn = parse_arn(text, "logs");
  constexpr std::string_view kResource = "log-group:", kAllStreams = ":*";
  if (!arn || !arn->resource.starts_with(kResource)) return "";
  std::string_view name = arn->resource.substr(kResource.size());
  if (name.ends_with(kAllStreams)) name.remove_suffix(kAllStreams.size());
  return std::string(name);
}

TargetKind kind_of(const std::string& text) {
  // Of the services whose resources Amazon accepts as targets, those that Stoker does not have.
  static const std::set<std::string_view> foreign = {
      "appsync", "batch",          "codebuild", "codepipeline",  "execute-api", "firehose", "glue",   "inspector",
      "kinesis", "lambda",         "redshift",  "redshift-data", "sagemaker",   "sns",      "states", "ssm-incidents"};
  const auto arn = parse_arn(text);
  if (!arn) return TargetKind::Unsupported;
  if (arn->service == "sqs") return TargetKind::Queue;
  if (arn->service == "stoker" && arn->resource.starts_with("webhook/")) return TargetKind::Webhook;
  if (arn->service == "events" && arn->resource.starts_with("event-bus/")) return TargetKind::Bus;
  if (!log_group_of(text).empty()) return TargetKind::LogGroup;
  return foreign.contains(arn->service) ? TargetKind::Foreign : TargetKind::Unsupported;
}

namespace {

wire::ApiError invalid_arn(const std::string& arn) {
  return validation_error("Parameter " + arn + " is not valid. Reason: Provided Arn is not in correct format.");
}

bool is_queue(const Arn& arn) { return arn.partition == "aws" && arn.service == "sqs" && !arn.resource.empty(); }

// Its failed deliveries are retried for days, by those who send webhooks.
void check_webhook(const Target& target) {
  if (target.SqsParameters) throw unsupported("SqsParameters of a webhook");
  if (target.DeadLetterConfig) throw unsupported("DeadLetterConfig of a webhook");
}

// What belongs to targets of other kinds.
void check_parameters(const Target& target) {
  const std::pair<bool, const char*> others[] = {
      {target.KinesisParameters.has_value(), "KinesisParameters"},
      {target.RunCommandParameters.has_value(), "RunCommandParameters"},
      {target.EcsParameters.has_value(), "EcsParameters"},
      {target.BatchParameters.has_value(), "BatchParameters"},
      {target.HttpParameters.has_value(), "HttpParameters"},
      {target.RedshiftDataParameters.has_value(), "RedshiftDataParameters"},
      {target.SageMakerPipelineParameters.has_value(), "SageMakerPipelineParameters"},
      {target.AppSyncParameters.has_value(), "AppSyncParameters"},
  };
  for (const auto& [present, name] : others) {
    if (present) throw unsupported(std::string(name) + " of a target");
  }
}

void check_queue(const Target& target, const Arn& arn) {
  if (target.RoleArn) throw validation_error("RoleArn is not supported for target " + target.Arn + ".");
  const bool has_group = target.SqsParameters && target.SqsParameters->MessageGroupId;
  if (arn.resource.ends_with(".fifo") && !has_group) {
    throw validation_error("Parameter(s) SqsParameters must be specified for target: " + target.Id + ".");
  }
}

void check_dead_letters(const Target& target) {
  if (!target.DeadLetterConfig || !target.DeadLetterConfig->Arn) return;
  const auto letters = parse_arn(*target.DeadLetterConfig->Arn);
  if (!letters || !is_queue(*letters) || letters->resource.ends_with(".fifo")) {
    throw invalid_arn(*target.DeadLetterConfig->Arn);
  }
}

// As Amazon, which does not look whether the target exists.
void check_foreign(const Target& target, const Arn& arn) {
  static const std::set<std::string_view> need_role = {"batch", "codebuild", "codepipeline", "firehose", "kinesis", "states"};
  if (need_role.contains(arn.service) && !target.RoleArn) {
    throw validation_error("RoleArn is required for target " + target.Arn + ".");
  }
}

void check_target(const Target& target) {
  const auto arn = parse_arn(target.Arn);
  const bool has_zero = target.Arn.find('\0') != target.Arn.npos;
  if (has_zero || !arn || arn->service.empty() || arn->resource.empty()) throw invalid_arn(target.Arn);
  const TargetKind kind = kind_of(target.Arn);
  if (kind == TargetKind::Unsupported || (kind == TargetKind::Queue && !is_queue(*arn))) {
    throw unsupported("targets of this kind: " + target.Arn);
  }
  const std::string problem = input_problem(target);
  if (!problem.empty()) throw validation_error(problem);
  check_dead_letters(target);
  if (kind == TargetKind::Foreign) return check_foreign(target, *arn);
  check_parameters(target);
  if (kind == TargetKind::Webhook) check_webhook(target);
  if (kind == TargetKind::Queue) check_queue(target, *arn);
}

PutTargetsResponse put_targets(Call& call, const PutTargetsRequest& request) {
  const StoredRule rule = find_rule(call, request.EventBusName, request.Rule);
  std::set<std::string> ids;
  for (const Target& known : list_targets(call, rule.number)) ids.insert(known.Id);
  for (const Target& target : request.Targets) {
    check_name("targets." + std::to_string(&target - request.Targets.data() + 1) + ".member.id", target.Id);
    check_target(target);
    ids.insert(target.Id);
  }
  if (std::ssize(ids) > kMaxTargets) throw limit_exceeded();
  for (const Target& target : request.Targets) {
    call.tx.exec(
        "INSERT INTO events_targets (rule, id, arn, body) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT (rule, id) DO UPDATE SET arn = excluded.arn, body = excluded.body",
        rule.number, target.Id, target.Arn, to_json(target));
  }
  return {.FailedEntryCount = 0, .FailedEntries = std::vector<PutTargetsResultEntry>()};
}

ListTargetsByRuleResponse list_targets_by_rule(Call& call, const ListTargetsByRuleRequest& request) {
  const StoredRule rule = find_rule(call, request.EventBusName, request.Rule);
  const Page page = read_page(request.Limit, request.NextToken, page_rules());
  ListTargetsByRuleResponse response;
  response.Targets.emplace();
  std::vector<std::string> ids;
  for (Target& target : list_targets(call, rule.number)) {
    if (target.Id <= page.after) continue;
    ids.push_back(target.Id);
    response.Targets->push_back(std::move(target));
  }
  response.NextToken = cut_page(ids, page);
  response.Targets->resize(ids.size());
  return response;
}

RemoveTargetsResponse remove_targets(Call& call, const RemoveTargetsRequest& request) {
  const StoredRule rule = find_rule(call, request.EventBusName, request.Rule);
  RemoveTargetsResponse response{.FailedEntryCount = 0, .FailedEntries = std::vector<RemoveTargetsResultEntry>()};
  for (const std::string& id : request.Ids) {
    check_name("ids." + std::to_string(&id - request.Ids.data() + 1) + ".member", id);
    if (call.tx.exec("DELETE FROM events_targets WHERE rule = $1 AND id = $2", rule.number, id) > 0) continue;
    ++*response.FailedEntryCount;
    response.FailedEntries->push_back(
        {id, "ResourceNotFoundException", "Rule " + rule.name + " does not have a target with the id " + id + "."});
  }
  return response;
}

}  // namespace

std::vector<Operation> target_operations() {
  return {
      operation<&list_targets_by_rule>("ListTargetsByRule", Access::Read),
      operation<&put_targets>("PutTargets", Access::Write),
      operation<&remove_targets>("RemoveTargets", Access::Write),
  };
}

}  // namespace services::events
