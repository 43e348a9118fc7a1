// SPDX-License-Identifier: Apache-2.0
// A cache of the access keys in use, as the database has committed them.
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
  // Shared, because a key in use may be deleted meanwhile; nullptr if the cache does not have it.
  std::shared_ptr<const state::Key> find(const std::string& id) const;

  // The number of deletions so far. Read it before looking a key up in the database.
  std::uint64_t deletions() const;
  // Adds a key, unless a key was deleted since: it may be this one.
  std::shared_ptr<const state::Key> keep(state::Key key, std::uint64_t deletions);
  // After the deletion is committed, before its response.
  void forget(const std::string& id);

 private:
  struct State {
    std::uint64_t deletions = 0;
    std::unordered_map<std::string, std::shared_ptr<const state::Key>> keys;
  };
  base::Guarded<State> state_;
};

}  // namespace api
