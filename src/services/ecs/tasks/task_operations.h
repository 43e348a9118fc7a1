// SPDX-License-Identifier: Apache-2.0
// Operations on tasks, for users and for agents.
#pragma once

#include "services/call.h"
#include "shapes/ecs/state_change.h"
#include "shapes/ecs/task.h"
#include "shapes/ecs/task_list.h"
#include "shapes/ecs/task_protection.h"
#include "shapes/stoker/explain.h"

namespace services::ecs {

using namespace shapes::ecs;

RunTaskResponse run_task(Call& call, const RunTaskRequest& request);
StartTaskResponse start_task(Call& call, const StartTaskRequest& request);
DescribeTasksResponse describe_tasks(Call& call, const DescribeTasksRequest& request);
ListTasksResponse list_tasks(Call& call, const ListTasksRequest& request);
StopTaskResponse stop_task(Call& call, const StopTaskRequest& request);
GetTaskProtectionResponse get_task_protection(Call& call, const GetTaskProtectionRequest& request);
UpdateTaskProtectionResponse update_task_protection(Call& call, const UpdateTaskProtectionRequest& request);
DiscoverPollEndpointResponse discover_poll_endpoint(Call& call, const DiscoverPollEndpointRequest& request);
SubmitTaskStateChangeResponse submit_task_state_change(Call& call, const SubmitTaskStateChangeRequest& request);
SubmitContainerStateChangeResponse submit_container_state_change(Call& call,
                                                                 const SubmitContainerStateChangeRequest& request);
SubmitAttachmentStateChangesResponse submit_attachment_state_changes(
     Call& call, const SubmitAttachmentStateChangesRequest& request);
shapes::stoker::StokerExplainResponse stoker_explain(Call& call, const shapes::stoker::StokerExplainRequest& request);

}  // namespace services::ecs
