// SPDX-License-Identifier: Apache-2.0
// SQS's operations. Each is in the file that is named after what it works on.
#pragma once

#include "services/call.h"
#include "shapes/sqs/message.h"
#include "shapes/sqs/message_batch.h"
#include "shapes/sqs/move_task.h"
#include "shapes/sqs/permission.h"
#include "shapes/sqs/queue.h"
#include "shapes/sqs/tag.h"

namespace services::sqs {

using namespace shapes::sqs;

// queues.cc
CreateQueueResult create_queue(Call& call, const CreateQueueRequest& request);
void delete_queue(Call& call, const DeleteQueueRequest& request);
GetQueueUrlResult get_queue_url(Call& call, const GetQueueUrlRequest& request);
GetQueueAttributesResult get_queue_attributes(Call& call, const GetQueueAttributesRequest& request);
void set_queue_attributes(Call& call, const SetQueueAttributesRequest& request);
void purge_queue(Call& call, const PurgeQueueRequest& request);

// queue_lists.cc
ListQueuesResult list_queues(Call& call, const ListQueuesRequest& request);
ListDeadLetterSourceQueuesResult list_dead_letter_source_queues(Call& call,
                                                                const ListDeadLetterSourceQueuesRequest& request);

// tags.cc
void tag_queue(Call& call, const TagQueueRequest& request);
void untag_queue(Call& call, const UntagQueueRequest& request);
ListQueueTagsResult list_queue_tags(Call& call, const ListQueueTagsRequest& request);

// permissions.cc
void add_permission(Call& call, const AddPermissionRequest& request);
void remove_permission(Call& call, const RemovePermissionRequest& request);

// send.cc
SendMessageResult send_message(Call& call, const SendMessageRequest& request);
// Internal: may the caller send to this queue? Throws what SendMessage would, and ignores all other members.
void check_send_message(Call& call, const SendMessageRequest& request);
SendMessageBatchResult send_message_batch(Call& call, const SendMessageBatchRequest& request);

// receive.cc
ReceiveMessageResult receive_message(Call& call, const ReceiveMessageRequest& request);

// in_flight.cc
void delete_message(Call& call, const DeleteMessageRequest& request);
DeleteMessageBatchResult delete_message_batch(Call& call, const DeleteMessageBatchRequest& request);
void change_message_visibility(Call& call, const ChangeMessageVisibilityRequest& request);
ChangeMessageVisibilityBatchResult change_message_visibility_batch(Call& call,
                                                                   const ChangeMessageVisibilityBatchRequest& request);

// move_tasks.cc
StartMessageMoveTaskResult start_message_move_task(Call& call, const StartMessageMoveTaskRequest& request);
CancelMessageMoveTaskResult cancel_message_move_task(Call& call, const CancelMessageMoveTaskRequest& request);
ListMessageMoveTasksResult list_message_move_tasks(Call& call, const ListMessageMoveTasksRequest& request);

}  // namespace services::sqs
