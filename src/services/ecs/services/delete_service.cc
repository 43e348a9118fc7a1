// SPDX-License-Identifier: Apache-2.0
// DeleteService: the service is DRAINING from now on. The loop that reconciles services stops its tasks and makes it
// INACTIVE.
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/errors.h"
#include "services/ecs/operations.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/services/new_deployment.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/services/service_view.h"

namespace services::ecs {
namespace {

// The texts are ECS's own. They are about replicas: "You don't need to use force with the daemon strategy."
void check_stoppable(Call& call, const StoredService& service, bool force) {
  if (service.daemon || force) return;
  if (service.desired > 0) {
    throw invalid_parameter("The service cannot be stopped while it is scaled above 0.");
  }
  if (state::list_deployments(call.tx, service.number).size() > 1) {
    throw invalid_parameter("The service cannot be stopped while deployments are active.");
  }
}

}  // namespace

DeleteServiceResponse delete_service(Call& call, const DeleteServiceRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  StoredService service = find_service(call.tx, cluster, request.service);
  // Deleting a service twice is no error.
  if (service.status == state::ServiceStatus::Active) {
    check_stoppable(call, service, request.force.value_or(false));
    stop_unfinished(call, service.number, "The service was deleted.");
    service.status = state::ServiceStatus::Draining;
    service.desired = 0;
    service.steady = false;
    update_service_row(call.tx, service);
    mark_service(call, service.number);
  }
  return {.service = show_service(call, cluster, service, false)};
}

std::vector<Operation> service_deletion_operations() {
  return {operation<&delete_service>("DeleteService", Access::Write)};
}

}  // namespace services::ecs
