// SPDX-License-Identifier: Apache-2.0
// How machines get their keys: join tokens, which a machine exchanges for a key of its own, and keys for agents that
// have no tokens (Amazon's).
#pragma once

#include <string>
#include <vector>

#include "services/module.h"
#include "shapes/stoker/join_token.h"

namespace services::stoker {

std::vector<Operation> machine_key_operations();

// The key of a machine in exchange for a token. The same machine gets the same key until it has registered. Throws
// InvalidJoinTokenException; of a token whose secret is wrong it reveals nothing.
shapes::stoker::JoinResponse join(Call& call, const shapes::stoker::JoinRequest& request);
// Without the database: throws as join() would, for a request that no token fits.
void check_join_request(const shapes::stoker::JoinRequest& request);
// On a snapshot: throws as join() would.
void check_join(Call& call, const shapes::stoker::JoinRequest& request);

}  // namespace services::stoker
