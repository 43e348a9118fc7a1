// SPDX-License-Identifier: Apache-2.0
#include "store/job_queue.h"

#include <algorithm>
#include <iterator>

#include "base/log.h"

namespace store {

void JobQueue::push(Job job) {
  const char* rejection = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (closed_) {
      rejection = "the store is closing";
    } else if (jobs_.size() >= kMaxQueuedJobs) {
      rejection = "the queue of the store is full";
    } else {
      jobs_.push_back(std::move(job));
    }
  }
  if (rejection) {
    job.error = std::make_exception_ptr(Error(ErrorKind::Busy, rejection));
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
