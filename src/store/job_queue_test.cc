// SPDX-License-Identifier: Apache-2.0
#include "store/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/account_work.h"
#include "store/batch_turn.h"

namespace store {
namespace {

using testing::ElementsAre;

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

Job job_of(const std::string& account) {
  return {.work = AccountWork{account, [](Tx&) {}}, .done = [](std::exception_ptr) {}};
}

std::vector<std::string> accounts_of(const std::vector<Job>& jobs) {
  std::vector<std::string> accounts;
  for (const Job& job : jobs) accounts.push_back(job.account);
  return accounts;
}

TEST(JobQueue, AccountsTakeTurns) {
  JobQueue queue;
  for (int i = 0; i < 4; ++i) queue.push(job_of("busy"));
  queue.push(job_of("late"));
  queue.push(job_of("later"));
  std::vector<Job> jobs;
  queue.take(jobs, 4);
  EXPECT_THAT(accounts_of(jobs), ElementsAre("busy", "late", "later", "busy"));
  queue.push(job_of("late"));
  jobs.clear();
  queue.take(jobs, 10);
  EXPECT_THAT(accounts_of(jobs), ElementsAre("busy", "late", "busy"));
}

TEST(JobQueue, AnAccountCannotFillIt) {
  JobQueue queue;
  std::exception_ptr result;
  for (std::size_t i = 0; i < kMaxQueuedPerAccount; ++i) queue.push(job_of("busy"));
  Job one_more{.work = AccountWork{"busy", [](Tx&) {}}, .done = [&](std::exception_ptr e) { result = std::move(e); }};
  queue.push(std::move(one_more));
  EXPECT_TRUE(is_busy(result));
  result = nullptr;
  Job other{.work = AccountWork{"other", [](Tx&) {}}, .done = [&](std::exception_ptr e) { result = std::move(e); }};
  queue.push(std::move(other));
  EXPECT_FALSE(result);
}

TEST(JobQueue, AnAccountHasALimitOfRunningJobs) {
  JobQueue queue({.running = 2});
  for (int i = 0; i < 4; ++i) queue.push(job_of("busy"));
  queue.push(job_of("other"));
  std::vector<Job> running;
  queue.take(running, 10);
  EXPECT_THAT(accounts_of(running), ElementsAre("busy", "other", "busy"));
  queue.finished("busy");
  running.clear();
  queue.take(running, 10);
  EXPECT_THAT(accounts_of(running), ElementsAre("busy"));
  // The last one of a closed queue is not lost either.
  queue.close();
  queue.finished("other");
  queue.finished("busy");
  running.clear();
  EXPECT_TRUE(queue.take(running, 10));
  EXPECT_THAT(accounts_of(running), ElementsAre("busy"));
  queue.finished("busy");
  queue.finished("busy");
  running.clear();
  EXPECT_FALSE(queue.take(running, 10));
}

TEST(JobQueue, AnAccountLeavesMoreThreadsToTheOthersWhileThereAreOthers) {
  std::chrono::nanoseconds now{};
  Neighbours neighbours([&now] { return now; });
  JobQueue queue({.running = 2, .beside_neighbours = 1}, &neighbours);
  std::vector<Job> running;
  const auto take = [&] {
    running.clear();
    queue.take(running, 10);
    return accounts_of(running);
  };
  for (int i = 0; i < 5; ++i) queue.push(job_of("busy"));
  EXPECT_THAT(take(), ElementsAre("busy", "busy"));  // alone
  // The server's own jobs are no neighbours, and keep their threads beside others.
  for (int i = 0; i < 2; ++i) queue.push({.work = [](Tx&) {}, .done = [](std::exception_ptr) {}});
  EXPECT_THAT(take(), ElementsAre("", ""));
  queue.finished("busy");
  EXPECT_THAT(take(), ElementsAre("busy"));
  queue.push(job_of("other"));
  EXPECT_THAT(take(), ElementsAre("other"));
  queue.finished("");
  queue.finished("busy");  // one more runs
  queue.push({.work = [](Tx&) {}, .done = [](std::exception_ptr) {}});
  EXPECT_THAT(take(), ElementsAre(""));
  queue.finished("busy");
  EXPECT_THAT(take(), ElementsAre("busy"));
  queue.push(job_of("busy"));
  now += kNeighbourTime;  // the other one has gone
  queue.push(job_of("busy"));
  EXPECT_THAT(take(), ElementsAre("busy"));
}

TEST(Neighbours, ArePresentForAMomentAfterTheAccountHasChanged) {
  std::chrono::nanoseconds now{};
  Neighbours neighbours([&now] { return now; });
  for (const char* account : {"a", "", "a"}) neighbours.used_by(account);
  EXPECT_FALSE(neighbours.present());
  neighbours.used_by("b");
  EXPECT_TRUE(neighbours.present());
  now += kNeighbourTime;
  neighbours.used_by("b");
  EXPECT_FALSE(neighbours.present());
  neighbours.used_by("a");
  EXPECT_TRUE(neighbours.present());
}

// Four threads, of which an account may use two.
class Readers {
 public:
  Readers() {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this] { read_all(); });
  }
  ~Readers() {
    queue_.close();
    for (std::thread& thread : threads_) thread.join();
  }
  void push(const std::string& account) {
    queue_.push({.work = AccountWork{account, [](Tx&) {}}, .done = [this](std::exception_ptr) {
                   std::lock_guard lock(mutex_);
                   ++done_;
                   changed_.notify_all();
                 }});
  }
  bool wait_until_done(int jobs) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(2), [&] { return done_ == jobs; });
  }

 private:
  void read_all() {
    std::vector<Job> one;
    while (queue_.take(one, 1)) {
      queue_.finished(one.front().account);
      finish(one.front());
      one.clear();
    }
  }

  JobQueue queue_{{.running = 2}};
  std::mutex mutex_;
  std::condition_variable changed_;
  int done_ = 0;
  std::vector<std::thread> threads_;
};

TEST(JobQueue, ThreadsThatEndAJobTakeWhatItsAccountMayRunThen) {
  Readers readers;
  int jobs = 0;
  for (int round = 0; round < 2000; ++round) {
    for (int i = 0; i < round % 7; ++i) readers.push("busy");
    readers.push("other");
    jobs += round % 7 + 1;
    // Idle threads in between: each round begins with all of them asleep, or just falling asleep.
    if (round % 3 == 0) {
      ASSERT_TRUE(readers.wait_until_done(jobs)) << round;
    }
  }
  EXPECT_TRUE(readers.wait_until_done(jobs));
}

TEST(JobQueue, JobsThatDidNotRunAreTheNextOfTheirAccount) {
  JobQueue queue;
  std::vector<int> order;
  auto numbered = [&order](int number) {
    return Job{.work = AccountWork{"a", [](Tx&) {}}, .done = [&order, number](std::exception_ptr) { order.push_back(number); }};
  };
  for (int i = 0; i < 3; ++i) queue.push(numbered(i));
  std::vector<Job> jobs;
  queue.take(jobs, 3);
  queue.push(numbered(3));
  queue.put_back(std::span(jobs).subspan(1));
  jobs.resize(1);
  queue.take(jobs, 10);
  for (Job& job : jobs) finish(job);
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST(JobQueue, AnAccountWhoseJobDidNotRunHasTheNextTurn) {
  JobQueue queue;
  for (const char* account : {"a", "b", "a", "a", "c"}) queue.push(job_of(account));
  std::vector<Job> jobs;
  queue.take(jobs, 10);
  EXPECT_THAT(accounts_of(jobs), ElementsAre("a", "b", "c", "a", "a"));
  queue.push(job_of("a"));
  queue.push(job_of("d"));
  queue.put_back(std::span(jobs).subspan(1));
  jobs.clear();
  queue.take(jobs, 1);
  EXPECT_THAT(accounts_of(jobs), ElementsAre("b"));
  queue.take(jobs, 10);
  EXPECT_THAT(accounts_of(jobs), ElementsAre("b", "c", "a", "d", "a", "a"));
}

TEST(BatchTurn, IsOverAfterItsTimeIfAnotherAccountWaits) {
  JobQueue queue;
  std::vector<Job> alone;
  alone.push_back({.account = "a"});
  std::chrono::nanoseconds now{};
  const BatchTurn turn(queue, alone, [&now] { return now; });
  now = kBatchTime;
  EXPECT_FALSE(turn.over());
  queue.push(job_of("a"));
  EXPECT_FALSE(turn.over());
  queue.push(job_of("b"));
  EXPECT_TRUE(turn.over());
}

TEST(BatchTurn, ABatchOfSeveralAccountsIsOverAfterItsTime) {
  JobQueue queue;
  std::vector<Job> shared(2);
  shared[1].account = "b";
  std::chrono::nanoseconds now{};
  const BatchTurn turn(queue, shared, [&now] { return now; });
  EXPECT_FALSE(turn.over());
  now = kBatchTime;
  EXPECT_TRUE(turn.over());
}

}  // namespace
}  // namespace store
