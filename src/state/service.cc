// SPDX-License-Identifier: Apache-2.0
// Rows of services and their events.
#include "state/service.h"

#include "base/check.h"

namespace state {
namespace {

constexpr std::int64_t kServicesAtOnce = 100;

const std::string kServiceColumns =
    "cluster, name, status, daemon, desired, steady, steady_at, version, body, client_token, created_at, inactive_at";
const std::string kSelectService = "SELECT id, " + kServiceColumns + " FROM ecs_services";

ServiceStatus service_status(std::string_view text) {
  for (ServiceStatus status : {ServiceStatus::Active, ServiceStatus::Draining, ServiceStatus::Inactive}) {
    if (text == state::text(status)) return status;
  }
  CHECK(false) << "a service with the status " << text;
  return {};
}

Service read_service(const store::Row& row) {
  Service service;
  service.number = ServiceNumber(row.integer(0));
  service.cluster = ClusterNumber(row.integer(1));
  service.name = row.str(2);
  service.status = service_status(row.text(3));
  service.daemon = row.boolean(4);
  service.desired = static_cast<std::int32_t>(row.integer(5));
  service.steady = row.boolean(6);
  service.steady_at = row.maybe_time(7);
  service.version = row.integer(8);
  service.body_json = row.str(9);
  service.client_token = row.maybe_str(10);
  service.created_at = row.time(11);
  service.inactive_at = row.maybe_time(12);
  return service;
}

void check_times(const Service& service) {
  CHECK(service.inactive_at.has_value() == (service.status == ServiceStatus::Inactive))
      << "an INACTIVE service has a time since when, and no other has";
}

}  // namespace

std::string_view text(ServiceStatus status) {
  switch (status) {
    case ServiceStatus::Active: return "ACTIVE";
    case ServiceStatus::Draining: return "DRAINING";
    case ServiceStatus::Inactive: break;
  }
  return "INACTIVE";
}

std::optional<Service> find_service(store::Tx& tx, ClusterNumber cluster, const std::string& name) {
  static const std::string living = kSelectService + " WHERE cluster = $1 AND name = $2 AND inactive_at IS NULL";
  static const std::string gone =
      kSelectService +
      " WHERE cluster = $1 AND name = $2 AND inactive_at IS NOT NULL ORDER BY inactive_at DESC, id DESC LIMIT 1";
  auto service = tx.query(living, cluster, name).one(read_service);
  return service ? service : tx.query(gone, cluster, name).one(read_service);
}

std::optional<Service> find_service(store::Tx& tx, ServiceNumber number) {
  static const std::string sql = kSelectService + " WHERE id = $1";
  return tx.query(sql, number).one(read_service);
}

std::vector<Service> list_services(store::Tx& tx, const ServiceFilter& filter) {
  static const std::string sql = kSelectService +
                                 " WHERE cluster = $1 AND name > $2 AND inactive_at IS NULL AND status = 'ACTIVE'"
                                 " AND (daemon = $3 OR $3 IS NULL) ORDER BY name LIMIT $4";
  return tx.query(sql, filter.cluster, filter.after, filter.daemon, filter.most).all(read_service);
}

std::vector<ServiceNumber> list_living_services(store::Tx& tx) {
  return tx.query("SELECT id FROM ecs_services WHERE inactive_at IS NULL ORDER BY id").all([](const store::Row& row) {
    return ServiceNumber(row.integer(0));
  });
}

ServiceNumber insert_service(store::Tx& tx, const Service& service) {
  static const std::string sql =
      "INSERT INTO ecs_services (" + kServiceColumns + ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
  check_times(service);
  return ServiceNumber(tx.insert(sql, service.cluster, service.name, text(service.status), service.daemon,
                                 service.desired, service.steady, service.steady_at, service.version, service.body_json,
                                 service.client_token, service.created_at, service.inactive_at));
}

void update_service(store::Tx& tx, Service& service) {
  check_times(service);
  ++service.version;
  tx.exec(
      "UPDATE ecs_services SET status = $2, desired = $3, steady = $4, steady_at = $5, version = $6, body = $7,"
      " inactive_at = $8 WHERE id = $1",
      service.number, text(service.status), service.desired, service.steady, service.steady_at, service.version,
      service.body_json, service.inactive_at);
}

void delete_old_services(store::Tx& tx, base::Time since) {
  const auto old = tx.query(
                         "SELECT id FROM ecs_services WHERE inactive_at IS NOT NULL AND inactive_at <= $1"
                         " ORDER BY inactive_at, id LIMIT $2",
                         since, kServicesAtOnce)
                       .all([](const store::Row& row) { return ServiceNumber(row.integer(0)); });
  for (ServiceNumber service : old) {
    tx.exec("DELETE FROM ecs_service_events WHERE service = $1", service);
    tx.exec("DELETE FROM ecs_service_deployments WHERE service = $1", service);
    tx.exec("DELETE FROM ecs_deployments WHERE service = $1", service);
    tx.exec("DELETE FROM ecs_services WHERE id = $1", service);
  }
}

std::optional<base::Time> first_inactive_service(store::Tx& tx) {
  auto found = tx.query("SELECT min(inactive_at) FROM ecs_services WHERE inactive_at IS NOT NULL")
                   .one([](const store::Row& row) { return row.maybe_time(0); });
  return found ? *found : std::nullopt;
}

std::vector<ServiceEvent> list_service_events(store::Tx& tx, ServiceNumber service) {
  return tx
      .query("SELECT name, created_at, message FROM ecs_service_events WHERE service = $1 ORDER BY id DESC LIMIT $2",
             service, kMaxServiceEvents)
      .all([](const store::Row& row) {
        return ServiceEvent{row.str(0), row.time(1), row.str(2)};
      });
}

void insert_service_event(store::Tx& tx, ServiceNumber service, const ServiceEvent& event) {
  tx.exec("INSERT INTO ecs_service_events (service, name, message, created_at) VALUES ($1, $2, $3, $4)", service,
          event.id, event.message, event.created_at);
  tx.exec(
      "DELETE FROM ecs_service_events WHERE service = $1 AND id <= (SELECT id FROM ecs_service_events"
      " WHERE service = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
      service, kMaxServiceEvents);
}

}  // namespace state
