// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/refresh_row.h"

#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

#define REFRESH_COLUMNS "SELECT id, grp, uuid, status, started_at, ended_at, record FROM autoscaling_refreshes "

RefreshRow read_refresh(const store::Row& row) {
  RefreshRow refresh;
  refresh.number = row.integer(0);
  refresh.group = row.integer(1);
  refresh.uuid = row.str(2);
  refresh.status = row.str(3);
  refresh.started_at = row.time(4);
  refresh.ended_at = row.maybe_time(5);
  refresh.record = from_json<RefreshRecord>(row.text(6));
  return refresh;
}

}  // namespace

std::optional<RefreshRow> load_refresh(store::Tx& tx, std::int64_t number) {
  return tx.query(REFRESH_COLUMNS "WHERE id = $1", number).one(read_refresh);
}

std::optional<RefreshRow> active_refresh(store::Tx& tx, std::int64_t group) {
  return tx.query(REFRESH_COLUMNS "WHERE grp = $1 AND ended_at IS NULL ORDER BY id", group).one(read_refresh);
}

std::vector<RefreshRow> list_active_refreshes(store::Tx& tx) {
  return tx.query(REFRESH_COLUMNS "WHERE ended_at IS NULL ORDER BY id").all(read_refresh);
}

std::vector<RefreshRow> list_refreshes(store::Tx& tx, std::int64_t group, std::int64_t before, base::Time since) {
  return tx
      .query(REFRESH_COLUMNS "WHERE grp = $1 AND (id < $2 OR $2 = 0) AND started_at >= $3 ORDER BY id DESC", group,
             before, since)
      .all(read_refresh);
}

void save_refresh(store::Tx& tx, RefreshRow& refresh) {
  const std::string record = to_json(refresh.record);
  if (refresh.number != 0) {
    tx.exec("UPDATE autoscaling_refreshes SET status = $2, ended_at = $3, record = $4 WHERE id = $1", refresh.number,
            refresh.status, refresh.ended_at, record);
    return;
  }
  refresh.number = tx.insert(
      "INSERT INTO autoscaling_refreshes (grp, uuid, status, started_at, ended_at, record) "
      "VALUES ($1, $2, $3, $4, $5, $6)",
      refresh.group, refresh.uuid, refresh.status, refresh.started_at, refresh.ended_at, record);
}

void delete_refreshes(store::Tx& tx, std::int64_t group) {
  tx.exec("DELETE FROM autoscaling_refreshes WHERE grp = $1", group);
}

void delete_old_refreshes(store::Tx& tx, std::int64_t group, base::Time before) {
  tx.exec("DELETE FROM autoscaling_refreshes WHERE grp = $1 AND ended_at IS NOT NULL AND started_at < $2", group,
          before);
}

GroupSource source_of(const Group& group) {
  return {group.settings.launch_configuration, group.settings.launch_template, group.settings.mixed_instances};
}

void set_source(Group& group, const GroupSource& source) {
  group.settings.launch_configuration = source.launch_configuration;
  group.settings.launch_template = source.launch_template;
  group.settings.mixed_instances = source.mixed_instances;
}

}  // namespace services::autoscaling
