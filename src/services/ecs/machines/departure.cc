// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/departure.h"

#include "services/ecs/machines/fleets.h"
#include "services/ecs/state_events.h"
#include "services/ecs/tasks/stop.h"
#include "state/keys.h"

namespace services::ecs {

namespace {

// A machine that was removed does not join again with its key. One that lost its state registers again with the same
// key, which then belongs to the new instance.
void end_machine_key(Call& call, const StoredInstance& instance) {
  if (!instance.machine_key || *instance.machine_key == call.caller.access_key) return;
  for (const std::string& id : state::retire_machine_key(call.tx, *instance.machine_key, call.now)) {
    call.wake(state::key_topic(id));
  }
}

}  // namespace

void deregister(Call& call, StoredInstance& instance, const std::string& reason) {
  for (state::Task& task : state::list_tasks_on(call.tx, instance.id)) {
    stop_now(call, task, model::StopCode::TerminationNotice, reason);
  }
  // Their events may have raised it.
  if (const auto current = state::find_machine(call.tx, instance.id)) instance.version = current->version;
  instance.status = model::InstanceStatus::Inactive;
  instance.connected = false;
  instance.connected_at = call.now;
  instance.inactive_at = call.now;
  update_instance(call.tx, instance);
  state::delete_gpus(call.tx, instance.id);
  end_machine_key(call, instance);
  remove_from_fleet(call, instance);
  call.wake(state::instance_topic(instance.id));
  publish_instance_change(call, instance.id);
}

void disconnect_all(store::Tx& tx, base::Time now) {
  state::disconnect_all_machines(tx, now);
}

}  // namespace services::ecs
