// SPDX-License-Identifier: Apache-2.0
#include "api/key_ring.h"

namespace api {

void KeyRing::replace(std::vector<state::Key> keys) {
  Map map;
  for (state::Key& key : keys) {
    std::string id = key.id;
    map.emplace(std::move(id), std::make_shared<const state::Key>(std::move(key)));
  }
  keys_.with([&](Map& current) { current = std::move(map); });
}

std::shared_ptr<const state::Key> KeyRing::find(const std::string& id) const {
  return keys_.with([&](const Map& map) -> std::shared_ptr<const state::Key> {
    auto found = map.find(id);
    return found == map.end() ? nullptr : found->second;
  });
}

std::size_t KeyRing::size() const {
  return keys_.with([](const Map& map) { return map.size(); });
}

}  // namespace api
