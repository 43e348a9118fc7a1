// SPDX-License-Identifier: Apache-2.0
// Scaling activities: rows, and their end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "shapes/autoscaling/instance.h"

namespace services::autoscaling {

enum class ActivityKind { Launch, Terminate, Attach, Detach, EnterStandby, ExitStandby, Note };

struct Activity {
  std::int64_t number = 0;
  std::string id;  // a UUID
  std::int64_t group = 0;
  ActivityKind kind = ActivityKind::Launch;
  std::string instance;  // "": the launch has failed before there was one
  std::string description, cause;
  std::string status = "InProgress";  // Amazon's StatusCode
  std::string status_message;
  std::int32_t progress = 0;
  std::string details_json = "{}";
  base::Time started_at;
  std::optional<base::Time> ended_at;
};

// "At 2026-11-18T09:00:00Z <text>."
std::string cause_sentence(base::Time now, const std::string& text);
// Joined as Amazon does.
std::string join_causes(const std::string& first, const std::string& second);

// Sets its number, and its id where it is empty. A cause over 1,023 characters is cut.
void insert_activity(Call& call, const Group& group, Activity& activity);
void update_activity(Call& call, const Activity& activity);
// Sets status (Successful, Failed or Cancelled), message, progress 100 and the end; saves; tells the observers.
void end_activity(Call& call, const Group& group, Activity& activity, std::string_view status,
                  const std::string& message = "");

// The one in progress for an instance.
std::optional<Activity> find_running_activity(store::Tx& tx, std::int64_t group, const std::string& instance);
// In progress first, then the newest first.
std::vector<Activity> list_running_activities(store::Tx& tx, std::int64_t group);
shapes::autoscaling::Activity show_activity(const Group& group, const Activity& activity);

}  // namespace services::autoscaling
