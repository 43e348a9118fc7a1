// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/service.h"

#include "services/sqs/errors.h"
#include "services/sqs/handlers.h"

namespace services::sqs {
namespace {

// A batch of 1 MiB may be three times that in a form, where a byte is %XX.
constexpr std::size_t kBodyLimit = 4u << 20;

std::vector<Operation> operations() {
  return {
      operation<&add_permission>("AddPermission", Access::Write),
      operation<&cancel_message_move_task>("CancelMessageMoveTask", Access::Write),
      operation<&change_message_visibility>("ChangeMessageVisibility", Access::Write),
      operation<&change_message_visibility_batch>("ChangeMessageVisibilityBatch", Access::Write),
      operation<&create_queue>("CreateQueue", Access::Write),
      operation<&delete_message>("DeleteMessage", Access::Write),
      operation<&delete_message_batch>("DeleteMessageBatch", Access::Write),
      operation<&delete_queue>("DeleteQueue", Access::Write),
      operation<&get_queue_attributes>("GetQueueAttributes", Access::Read),
      operation<&get_queue_url>("GetQueueUrl", Access::Read),
      operation<&list_dead_letter_source_queues>("ListDeadLetterSourceQueues", Access::Read),
      operation<&list_message_move_tasks>("ListMessageMoveTasks", Access::Read),
      operation<&list_queue_tags>("ListQueueTags", Access::Read),
      operation<&list_queues>("ListQueues", Access::Read),
      operation<&purge_queue>("PurgeQueue", Access::Write),
      operation<&receive_message>("ReceiveMessage", Access::Write),
      operation<&remove_permission>("RemovePermission", Access::Write),
      operation<&send_message>("SendMessage", Access::Write),
      operation<&send_message_batch>("SendMessageBatch", Access::Write),
      operation<&set_queue_attributes>("SetQueueAttributes", Access::Write),
      operation<&start_message_move_task>("StartMessageMoveTask", Access::Write),
      operation<&tag_queue>("TagQueue", Access::Write),
      operation<&untag_queue>("UntagQueue", Access::Write),
  };
}

}  // namespace

Service service() {
  static const std::vector<wire::ErrorSpec> errors = error_table();
  Service sqs;
  sqs.wire = {.name = "sqs",
              .json_namespace = "com.amazonaws.sqs",
              .target_prefix = "AmazonSQS",
              .api_version = "2012-11-05",
              .xml_namespace = "http://queue.amazonaws.com/doc/2012-11-05/",
              .query_compatible = true,
              .errors = errors};
  sqs.signing_name = "sqs";
  sqs.protocols = {wire::Protocol::Json10, wire::Protocol::Query};
  sqs.body_limit = kBodyLimit;
  sqs.operations = operations();
  sqs.violation_error = &violation_error;
  sqs.path_member = "QueueUrl";
  return sqs;
}

std::vector<Operation> internal_operations() {
  return {operation<&check_send_message>("CheckSendMessage", Access::Read)};
}

}  // namespace services::sqs
