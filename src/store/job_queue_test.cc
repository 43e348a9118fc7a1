// SPDX-License-Identifier: Apache-2.0
#include "store/job_queue.h"

#include <gtest/gtest.h>

namespace store {
namespace {

Job job_with(std::exception_ptr& result) {
  return {.work = {}, .done = [&result](std::exception_ptr error) { result = std::move(error); }};
}

bool is_busy(const std::exception_ptr& result) {
  if (!result) return false;
  try {
    std::rethrow_exception(result);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::Busy;
  }
}

TEST(JobQueue, RejectsJobsAfterItIsClosedAndKeepsThoseFromBefore) {
  JobQueue queue;
  std::exception_ptr before, after;
  queue.push(job_with(before));
  queue.close();
  queue.push(job_with(after));
  EXPECT_TRUE(is_busy(after));
  std::vector<Job> jobs;
  EXPECT_TRUE(queue.take(jobs, 10));
  EXPECT_EQ(jobs.size(), 1u);
  EXPECT_FALSE(before);
  jobs.clear();
  EXPECT_FALSE(queue.take(jobs, 10));
}

TEST(JobQueue, RejectsJobsWhenItIsFull) {
  JobQueue queue;
  std::exception_ptr result;
  for (std::size_t i = 0; i < kMaxQueuedJobs; ++i) queue.push(job_with(result));
  EXPECT_FALSE(result);
  queue.push(job_with(result));
  EXPECT_TRUE(is_busy(result));
}

}  // namespace
}  // namespace store
