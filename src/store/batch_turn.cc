// SPDX-License-Identifier: Apache-2.0
#include "store/batch_turn.h"

#include <algorithm>

namespace store {

BatchTurn::BatchTurn(const JobQueue& queue, std::span<const Job> batch, Now now)
    : queue_(queue), now_(std::move(now)), began_(now_()), account_(batch.front().account) {
  shared_ = std::any_of(batch.begin(), batch.end(), [&](const Job& job) { return job.account != account_; });
}

bool BatchTurn::over() const {
  return now_() - began_ >= kBatchTime && (shared_ || queue_.others_wait(account_));
}

}  // namespace store
