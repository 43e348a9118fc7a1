// SPDX-License-Identifier: Apache-2.0
// ECS services: what must run, its deployments, and its events.
//
// A service has one PRIMARY deployment, which is what must run now, and ACTIVE ones, whose tasks are still to be
// replaced. A deployment without tasks that is not PRIMARY is INACTIVE: clients no longer see it, but the latest
// COMPLETED one is what a rollback returns to. A deployment is a revision of the service: both have the same number
// in their ids. A service deployment is the record of one change from revision to revision.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "state/row_number.h"
#include "state/task.h"
#include "store/store.h"

namespace state {

enum class ServiceStatus { Active, Draining, Inactive };
std::string_view text(ServiceStatus status);  // "ACTIVE"

struct Service {
  ServiceNumber number{};
  ClusterNumber cluster{};
  std::string name;
  ServiceStatus status = ServiceStatus::Active;
  bool daemon = false;
  std::int32_t desired = 0;  // of a daemon: computed by the scheduler
  bool steady = false;       // its last pass found nothing to do; steady_at is when that was last announced
  std::optional<base::Time> steady_at = {};
  std::int64_t version = 1;
  std::string body_json = {};  // configuration and tags: only its writer interprets it
  std::optional<std::string> client_token = {};
  base::Time created_at = {};
  std::optional<base::Time> inactive_at = {};
};

enum class DeploymentRole { Primary, Active, Inactive };
std::string_view text(DeploymentRole role);  // "PRIMARY"
enum class Rollout { InProgress, Completed, Failed };
std::string_view text(Rollout rollout);  // "IN_PROGRESS"

struct Deployment {
  DeploymentNumber number{};
  ServiceNumber service{};
  std::string id = {};  // 19 digits: "ecs-svc/<id>", and the end of its service revision's ARN
  DefinitionNumber definition{};
  DeploymentRole role = DeploymentRole::Primary;
  Rollout rollout = Rollout::InProgress;
  std::string rollout_reason = {};
  std::int32_t failed_tasks = 0;             // in a row; 0 again once a task runs well
  std::optional<base::Time> last_failure = {};  // for the back-off
  std::string body_json = {};  // network configuration, image digests and the like: only its writer interprets it
  base::Time created_at = {}, updated_at = {};
  std::optional<base::Time> completed_at = {};  // the last time that its rollout completed
};

struct ServiceEvent {
  std::string id;  // a UUID
  base::Time created_at;
  std::string message;
};
inline constexpr std::int64_t kMaxServiceEvents = 100;  // Amazon's

// A change from revision to revision, as ListServiceDeployments shows it.
struct ServiceDeployment {
  std::int64_t number = 0;
  ServiceNumber service{};
  std::string id = {};      // 22 characters: the end of its ARN
  std::string status = {};  // "IN_PROGRESS", Amazon's words
  DeploymentNumber target{};
  std::string body_json = {};  // sources, rollback, monitors, configuration: only its writer interprets it
  base::Time created_at = {}, updated_at = {};
  std::optional<base::Time> started_at = {}, finished_at = {}, stopped_at = {};
};

// A task of a service that has not stopped.
struct ServiceTask : Task {
  DeploymentNumber deployment{};
};

// The loop that reconciles services has something to look at.
inline constexpr std::string_view kServicesTopic = "ecs/services";

// Of the services with this name, the one that is not INACTIVE, else the one that became INACTIVE last.
std::optional<Service> find_service(store::Tx& tx, ClusterNumber cluster, const std::string& name);
std::optional<Service> find_service(store::Tx& tx, ServiceNumber number);
struct ServiceFilter {
  ClusterNumber cluster{};
  std::string after = {};  // a name
  std::optional<bool> daemon = {};
  std::int64_t most = 0;
};
// ACTIVE services by name.
std::vector<Service> list_services(store::Tx& tx, const ServiceFilter& filter);
// All that are not INACTIVE, of all clusters: for recovery.
std::vector<ServiceNumber> list_living_services(store::Tx& tx);
ServiceNumber insert_service(store::Tx& tx, const Service& service);
// Increments its version.
void update_service(store::Tx& tx, Service& service);
// Deletes services that have been INACTIVE since `since` or longer, with all that belongs to them.
void delete_old_services(store::Tx& tx, base::Time since);
std::optional<base::Time> first_inactive_service(store::Tx& tx);

// The PRIMARY one first, then ACTIVE ones from new to old. INACTIVE ones are left out.
std::vector<Deployment> list_deployments(store::Tx& tx, ServiceNumber service);
std::optional<Deployment> find_deployment(store::Tx& tx, DeploymentNumber number);
std::optional<Deployment> find_deployment(store::Tx& tx, ServiceNumber service, const std::string& id);
// Of the COMPLETED ones, whatever their role, the one that completed last, other than `except`: what a rollback returns
// to. One that has failed since, as the target of another rollback, is no longer COMPLETED.
std::optional<Deployment> find_last_completed(store::Tx& tx, ServiceNumber service, DeploymentNumber except);
DeploymentNumber insert_deployment(store::Tx& tx, const Deployment& deployment);
void update_deployment(store::Tx& tx, const Deployment& deployment);

// Newest first.
std::vector<ServiceEvent> list_service_events(store::Tx& tx, ServiceNumber service);
// Keeps the newest kMaxServiceEvents.
void insert_service_event(store::Tx& tx, ServiceNumber service, const ServiceEvent& event);

std::optional<ServiceDeployment> find_service_deployment(store::Tx& tx, ServiceNumber service, const std::string& id);
// The newest one that targets this deployment.
std::optional<ServiceDeployment> find_service_deployment_of(store::Tx& tx, DeploymentNumber target);
// Newest first, before the row `before` (0: from the newest), at most so many.
std::vector<ServiceDeployment> list_service_deployments(store::Tx& tx, ServiceNumber service, std::int64_t before,
                                                        std::int64_t most);
std::int64_t insert_service_deployment(store::Tx& tx, const ServiceDeployment& deployment);
void update_service_deployment(store::Tx& tx, const ServiceDeployment& deployment);
// Deletes the service's history from `since` and before: service deployments but the newest, and INACTIVE deployments
// that none of the others leads to, except the last completed one.
void delete_old_deployments(store::Tx& tx, ServiceNumber service, base::Time since);

// Tasks that have not stopped, oldest first.
std::vector<ServiceTask> list_service_tasks(store::Tx& tx, ServiceNumber service);
// How many of them run and how many are about to. Tasks that are to stop are not counted.
struct TaskCounts {
  std::int32_t running = 0, pending = 0;
};
std::map<DeploymentNumber, TaskCounts> count_service_tasks(store::Tx& tx, ServiceNumber service);
// The last task of this deployment that stopped without the scheduler's request, as long as it is kept.
std::optional<Task> find_last_stopped(store::Tx& tx, DeploymentNumber deployment);

}  // namespace state
