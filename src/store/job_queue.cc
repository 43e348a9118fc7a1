// SPDX-License-Identifier: Apache-2.0
#include "store/job_queue.h"

#include <algorithm>
#include <iterator>

#include "base/log.h"

namespace store {

void JobQueue::push(Job job) {
  const char* refusal = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (closed_) {
      refusal = "the store is closing";
    } else if (jobs_.size() >= kMaxQueuedJobs) {
      refusal = "too many works are waiting for the store";
    } else {
      jobs_.push_back(std::move(job));
    }
  }
  if (refusal) {
    job.error = std::make_exception_ptr(Error(ErrorKind::Busy, refusal));
    finish(job);
  } else {
    filled_.notify_one();
  }
}

bool JobQueue::take(std::vector<Job>& into, std::size_t most) {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
  auto end = jobs_.begin() + static_cast<std::ptrdiff_t>(std::min(most, jobs_.size()));
  std::move(jobs_.begin(), end, std::back_inserter(into));
  jobs_.erase(jobs_.begin(), end);
  return !into.empty();
}

void JobQueue::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_all();
}

void finish(Job& job) {
  try {
    job.done(std::move(job.error));
  } catch (const std::exception& e) {
    base::log_error("a store callback threw", {{"error", e.what()}});
  } catch (...) {
    base::log_error("a store callback threw");
  }
}

}  // namespace store
