// SPDX-License-Identifier: Apache-2.0
// When a batch of writes is committed early: it has used its time, and another account waits for its answer.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "store/job_queue.h"
#include "store/work_time.h"

namespace store {

// An account that writes alone is not interrupted, whatever it writes: fewer syncs serve it better.
inline constexpr std::chrono::milliseconds kBatchTime{4};

class BatchTurn {
 public:
  using Now = std::function<std::chrono::nanoseconds()>;

  // Begins now. Both outlive it; `batch` may have been moved from.
  BatchTurn(const JobQueue& queue, std::span<const Job> batch, Now now = &steady_time);

  bool over() const;

 private:
  const JobQueue& queue_;
  const Now now_;
  const std::chrono::nanoseconds began_;
  std::string account_;  // of the first job
  bool shared_ = false;  // the batch has jobs of several accounts
};

}  // namespace store
