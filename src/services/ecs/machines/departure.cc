// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/departure.h"

#include "services/ecs/machines/fleets.h"
#include "services/ecs/tasks/task_row.h"

namespace services::ecs {

void deregister(Call& call, StoredInstance& instance, const std::string& reason) {
  for (StoredTask& task : load_tasks_on(call.tx, instance.id)) {
    stop_now(call, task, model::StopCode::TerminationNotice, reason);
  }
  instance.status = model::InstanceStatus::Inactive;
  instance.connected = false;
  instance.connected_at = call.now;
  instance.inactive_at = call.now;
  update_instance(call.tx, instance);
  call.tx.exec("DELETE FROM ecs_gpus WHERE instance = $1", instance.id);
  remove_from_fleet(call, instance);
  call.wake(instance_topic(instance.id));
}

void disconnect_all(store::Tx& tx, base::Time now) {
  tx.exec("UPDATE ecs_instances SET connected = 0, connected_at = $1 WHERE status <> 'INACTIVE'", now);
}

}  // namespace services::ecs
