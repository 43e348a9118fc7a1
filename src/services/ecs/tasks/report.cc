// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/report.h"

#include "services/shape_json.h"

namespace services::ecs {

using shapes::ecs::ListTagsForResourceResponse;
using shapes::ecs::Tag;

Report report_of(const state::TaskState& task) {
  return task.report_json ? from_json<Report>(*task.report_json) : Report();
}

void set_report(state::TaskState& task, const Report& report) { task.report_json = to_json(report); }

std::optional<std::vector<Tag>> own_tags(const state::TaskState& task) {
  if (!task.tags_json) return std::nullopt;
  return from_json<ListTagsForResourceResponse>(*task.tags_json).tags;
}

void set_own_tags(state::TaskState& task, std::vector<Tag> tags) {
  task.tags_json = to_json(ListTagsForResourceResponse{std::move(tags)});
}

}  // namespace services::ecs
