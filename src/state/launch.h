// SPDX-License-Identifier: Apache-2.0
// Launches: what the tasks of one RunTask or StartTask, or of one start by a service, have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"
#include "state/row_number.h"
#include "store/store.h"

namespace state {

struct Launch {
  LaunchNumber number{};
  ClusterNumber cluster{};
  DefinitionNumber definition{};
  std::string group;
  std::optional<std::string> started_by, client_token;
  // The tasks belong to this service and to this deployment of it. Both or none.
  std::optional<ServiceNumber> service;
  std::optional<DeploymentNumber> deployment;
  std::string request_hash;  // distinguishes another request with the same token
  std::string body_json;     // overrides, tags, failures: only its writer interprets it
  base::Time created_at;
  bool external = false;  // of the launch type EXTERNAL, not EC2
};

LaunchNumber insert_launch(store::Tx& tx, const Launch& launch);
void update_launch_body(store::Tx& tx, const Launch& launch);
void delete_launch(store::Tx& tx, LaunchNumber number);
std::optional<Launch> find_launch(store::Tx& tx, LaunchNumber number);
std::optional<Launch> find_launch(store::Tx& tx, ClusterNumber cluster, const std::string& client_token);

// Removes the tokens of launches from `until` or before, at most so many; returns those launches.
std::set<LaunchNumber> end_client_tokens(store::Tx& tx, base::Time until, std::int64_t most);
// Of these, deletes the ones without a token and without a task. Only those whose token ended or whose
// last task was deleted need to be checked: there may be very many others.
void delete_unused_launches(store::Tx& tx, const std::set<LaunchNumber>& numbers);
// When the first launch that has a token was made.
std::optional<base::Time> first_client_token(store::Tx& tx);

}  // namespace state
