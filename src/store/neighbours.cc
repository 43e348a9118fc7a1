// SPDX-License-Identifier: Apache-2.0
#include "store/neighbours.h"

namespace store {

void Neighbours::used_by(const std::string& account) {
  if (account.empty()) return;
  const std::size_t user = std::hash<std::string>()(account);
  // Read first: of an account that is alone, no thread writes what all of them read.
  if (last_.load(std::memory_order_relaxed) == user) return;
  const std::size_t before = last_.exchange(user, std::memory_order_relaxed);
  if (before == user || before == 0) return;
  until_ns_.store((now_() + kNeighbourTime).count(), std::memory_order_relaxed);
}

}  // namespace store
