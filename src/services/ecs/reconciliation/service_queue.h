// SPDX-License-Identifier: Apache-2.0
// Which services to look at next. In memory: a start of the server looks at every service once.
#pragma once

#include <set>

#include "base/guarded.h"
#include "services/call.h"
#include "state/service.h"

namespace services::ecs {

class ServiceQueue {
 public:
  void mark(state::ServiceNumber service);

 private:
  base::Guarded<std::set<state::ServiceNumber>> marked_;
};

// When the call is committed, the service is looked at.
void mark_service(Call& call, state::ServiceNumber service);

}  // namespace services::ecs
