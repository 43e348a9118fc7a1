// SPDX-License-Identifier: Apache-2.0
#include "api/key_ring.h"

namespace api {
namespace {

constexpr std::size_t kMaxKeys = 100000;

}  // namespace

std::shared_ptr<const state::Key> KeyRing::find(const std::string& id) const {
  return state_.with([&](const State& state) -> std::shared_ptr<const state::Key> {
    auto found = state.keys.find(id);
    return found == state.keys.end() ? nullptr : found->second;
  });
}

std::uint64_t KeyRing::deletions() const {
  return state_.with([](const State& state) { return state.deletions; });
}

std::shared_ptr<const state::Key> KeyRing::keep(state::Key key, std::uint64_t deletions) {
  auto kept = std::make_shared<const state::Key>(std::move(key));
  state_.with([&](State& state) {
    if (state.deletions != deletions) return;
    if (state.keys.size() >= kMaxKeys) state.keys.clear();
    state.keys[kept->id] = kept;
  });
  return kept;
}

void KeyRing::forget(const std::string& id) {
  state_.with([&](State& state) {
    ++state.deletions;
    state.keys.erase(id);
  });
}

}  // namespace api
