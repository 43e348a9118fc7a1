// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/action_loop.h"

#include <boost/describe/class.hpp>

#include "services/arn.h"
#include "services/cloudwatch/alarms/action_target.h"
#include "services/cloudwatch/alarms/alarm_json.h"
#include "services/cloudwatch/alarms/transitions.h"
#include "services/directory.h"
#include "services/invoke.h"
#include "services/shape_json.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/alarm_action.h"
#include "shapes/stoker/webhook.h"
#include "wire/error.h"

namespace services::cloudwatch {

// A queued action, as a webhook's result brings it back.
struct QueuedAction {
  std::string account, region, name;
  bool composite = false;
  std::string action;
  base::Time state_updated_at;
  std::string request;
};
BOOST_DESCRIBE_STRUCT(QueuedAction, (), (account, region, name, composite, action, state_updated_at, request))

namespace {

using shapes::stoker::ExecuteAlarmAction;

constexpr std::int64_t kMaxActionsPerTurn = 100;
constexpr char kPrincipal[] = "cloudwatch.amazonaws.com";

struct ActionRow {
  std::int64_t id = 0;
  QueuedAction queued;
};

std::vector<ActionRow> read_actions(store::Tx& tx) {
  return tx
      .query("SELECT id, account, region, name, composite, action, state_updated_at, request "
             "FROM cloudwatch_alarm_actions ORDER BY id LIMIT $1",
             kMaxActionsPerTurn)
      .all([](const store::Row& row) {
        return ActionRow{row.integer(0),
                         {row.str(1), row.str(2), row.str(3), row.boolean(4), row.str(5), row.time(6), row.str(7)}};
      });
}

void record_result(Call& call, const QueuedAction& queued, const std::string& error) {
  Alarm alarm;
  alarm.account = queued.account;
  alarm.region = queued.region;
  alarm.name = queued.name;
  alarm.composite = queued.composite;
  std::string summary = "Successfully executed action " + queued.action;
  if (!error.empty() && action_kind(queued.action) == ActionKind::Scaling) {
    summary = "Failed to execute AutoScaling action: " + error;
  } else if (!error.empty()) {
    summary = "Failed to execute action " + queued.action + ". Received error: \"" + error + "\"";
  }
  add_history(call, alarm, "Action", summary,
              action_history(queued.action, queued.state_updated_at, from_json<ExecuteAlarmAction>(queued.request).message,
                             error));
}

wire::ApiError unsupported_target(std::string_view service) {
  return wire::ApiError("UnsupportedAction", "Stoker does not support the service " + std::string(service) + ".");
}

// Policies of both scaling services have ARNs of "autoscaling"; those of Application Auto Scaling name a resource:
// "scalingPolicy:<id>:resource/ecs/service/<cluster>/<service>:policyName/<name>".
std::string_view owner_of(const Arn& arn) {
  const bool application = arn.service == "autoscaling" && arn.resource.starts_with("scalingPolicy:") &&
                           arn.resource.find(":resource/") != arn.resource.npos;
  return application ? "application-autoscaling" : arn.service;
}

// Throws wire::ApiError if the target rejects it. True: the result comes later.
bool execute(Call& call, const QueuedAction& queued) {
  const auto request = from_json<ExecuteAlarmAction>(queued.request);
  const auto arn = parse_arn(queued.action);
  const auto kind = action_kind(queued.action);
  if (!arn || !kind) throw wire::ApiError("ValidationError", "Stoker does not support this action.");
  Caller principal = as_service(call, kPrincipal, request.alarmArn, queued.account);
  principal.region = queued.region;
  if (*kind == ActionKind::Queue) {
    const shapes::sqs::SendMessageRequest message{.QueueUrl = queued.action, .MessageBody = request.message};
    invoke<shapes::sqs::SendMessageResult>(call, principal, "sqs", "SendMessage", message);
    return false;
  }
  if (*kind == ActionKind::Absent) throw unsupported_target(arn->service);
  const std::string operation = *kind == ActionKind::Webhook ? "SendWebhook" : "ExecuteAlarmAction";
  const std::string_view owner = owner_of(*arn);
  if (!call.directory->find(owner, operation)) throw unsupported_target(owner);
  if (*kind == ActionKind::Webhook) {
    const shapes::stoker::SendWebhook send{
        .arn = queued.action, .body = request.message, .reportTo = "cloudwatch", .context = to_json(queued)};
    invoke(call, principal, "stoker", operation, send);
    return true;
  }
  invoke(call, principal, owner, operation, request);
  return false;
}

void execute_actions(Call& call, const std::vector<ActionRow>& rows) {
  for (const ActionRow& row : rows) {
    if (call.tx.exec("DELETE FROM cloudwatch_alarm_actions WHERE id = $1", row.id) == 0) continue;
    try {
      if (!execute(call, row.queued)) record_result(call, row.queued, "");
    } catch (const wire::ApiError& error) {
      record_result(call, row.queued, error.message());
    }
  }
}

void webhook_finished(Call& call, const shapes::stoker::WebhookFinished& result) {
  const std::string error = result.delivered ? "" : result.error.empty() ? "The webhook failed." : result.error;
  record_result(call, from_json<QueuedAction>(result.context), error);
}

}  // namespace

Loop action_loop() {
  return {.name = "cloudwatch-alarm-actions", .topic = kAlarmActionsTopic, .look = [](Call& call) {
            auto rows = read_actions(call.tx);
            if (rows.empty()) return Decision{};
            Decision decision;
            // There may be more than fit into one turn.
            if (rows.size() == static_cast<std::size_t>(kMaxActionsPerTurn)) decision.next = call.now;
            decision.apply = [rows = std::move(rows)](Call& write) { execute_actions(write, rows); };
            return decision;
          }};
}

std::vector<Operation> webhook_result_operations() {
  return {operation<&webhook_finished>("WebhookFinished", Access::Write)};
}

}  // namespace services::cloudwatch
