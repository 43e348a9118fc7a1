// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/stored_launch.h"

#include "services/shape_json.h"

namespace services::ecs {
namespace {

std::optional<StoredLaunch> parsed(std::optional<state::Launch> row) {
  if (!row) return std::nullopt;
  StoredLaunch launch;
  launch.body = from_json<Launch>(row->body_json);
  static_cast<state::Launch&>(launch) = std::move(*row);
  return launch;
}

}  // namespace

void insert_launch(store::Tx& tx, StoredLaunch& launch) {
  launch.body_json = to_json(launch.body);
  launch.number = state::insert_launch(tx, launch);
}

void update_launch(store::Tx& tx, StoredLaunch& launch) {
  launch.body_json = to_json(launch.body);
  state::update_launch_body(tx, launch);
}

std::optional<StoredLaunch> load_launch(store::Tx& tx, state::LaunchNumber number) {
  return parsed(state::find_launch(tx, number));
}

std::optional<StoredLaunch> load_launch(store::Tx& tx, state::ClusterNumber cluster, const std::string& client_token) {
  return parsed(state::find_launch(tx, cluster, client_token));
}

}  // namespace services::ecs
