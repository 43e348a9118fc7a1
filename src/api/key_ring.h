// SPDX-License-Identifier: Apache-2.0
// The access keys, kept at hand: a cache of what the database has committed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "state/keys.h"

namespace api {

class KeyRing {
 public:
  void replace(std::vector<state::Key> keys);
  // Shared, because a key that is in use may be deleted meanwhile; nullptr where there is none.
  std::shared_ptr<const state::Key> find(const std::string& id) const;
  std::size_t size() const;

 private:
  using Map = std::unordered_map<std::string, std::shared_ptr<const state::Key>>;
  base::Guarded<Map> keys_;
};

}  // namespace api
