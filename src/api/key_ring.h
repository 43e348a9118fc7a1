// SPDX-License-Identifier: Apache-2.0
// The access keys that are in use, kept at hand: a cache of what the database has
// committed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "state/keys.h"

namespace api {

class KeyRing {
 public:
  // Shared, because a key that is in use may be deleted meanwhile; nullptr where it is not here.
  std::shared_ptr<const state::Key> find(const std::string& id) const;

  // Read it before you look in the database.
  std::uint64_t deletions() const;
  // Keeps what was found, unless something was deleted since: it may be just that.
  std::shared_ptr<const state::Key> keep(state::Key key, std::uint64_t deletions);
  // After the deletion was committed, before it is answered.
  void forget(const std::string& id);

 private:
  struct State {
    std::uint64_t deletions = 0;
    std::unordered_map<std::string, std::shared_ptr<const state::Key>> keys;
  };
  base::Guarded<State> state_;
};

}  // namespace api
