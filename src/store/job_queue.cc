// SPDX-License-Identifier: Apache-2.0
#include "store/job_queue.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "store/account_work.h"

namespace store {

const char* JobQueue::rejection(const Lines::iterator& line) const {
  if (closed_) return "the store is closing";
  if (waiting_ >= kMaxQueuedJobs) return "the queue of the store is full";
  const bool named = line != lines_.end() && !line->first.empty();
  return named && line->second.jobs.size() >= kMaxQueuedPerAccount ? "too many requests of this account wait" : nullptr;
}

bool JobQueue::may_run(const Lines::value_type& line) const {
  const std::size_t running = line.second.running;
  if (running >= limits_.running) return false;
  const bool limited = running >= limits_.beside_neighbours && !line.first.empty();
  return !limited || !neighbours_ || !neighbours_->present();
}

void JobQueue::join_turns(Lines::value_type& line) {
  Line& state = line.second;
  if (state.in_turn || state.jobs.empty() || !may_run(line)) return;
  state.in_turn = true;
  turns_.push_back(&line);
}

void JobQueue::push(Job job) {
  job.account = account_of(job.work);
  if (neighbours_) neighbours_->used_by(job.account);
  const char* rejected = nullptr;
  {
    std::lock_guard lock(mutex_);
    auto line = lines_.find(job.account);
    rejected = rejection(line);
    if (!rejected) {
      if (line == lines_.end()) line = lines_.try_emplace(job.account).first;
      line->second.jobs.push_back(std::move(job));
      ++waiting_;
      join_turns(*line);
    }
  }
  if (rejected) {
    job.error = std::make_exception_ptr(Error(ErrorKind::Busy, rejected));
    finish(job);
  } else {
    filled_.notify_one();
  }
}

bool JobQueue::take(std::vector<Job>& into, std::size_t most) {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [&] { return !turns_.empty() || (closed_ && waiting_ == 0); });
  for (std::size_t taken = 0; taken < most && !turns_.empty(); ++taken) {
    Lines::value_type& line = *turns_.front();
    turns_.pop_front();
    Line& state = line.second;
    state.in_turn = false;
    into.push_back(std::move(state.jobs.front()));
    state.jobs.pop_front();
    --waiting_;
    if (limits_.running != kUnlimitedJobs) ++state.running;
    join_turns(line);
    if (state.jobs.empty() && state.running == 0) lines_.erase(lines_.find(line.first));
  }
  return !into.empty();
}

void JobQueue::finished(const std::string& account) {
  bool closed = false;
  {
    std::lock_guard lock(mutex_);
    closed = closed_;
    auto line = lines_.find(account);
    --line->second.running;
    join_turns(*line);
    if (line->second.jobs.empty() && line->second.running == 0) lines_.erase(line);
  }
  // Those that wait for the end of the queue. Otherwise all idle threads would wake for each job, and find nothing: where
  // few processors are busy, they delay those that have work.
  if (closed) filled_.notify_all();
}

void JobQueue::put_back(std::span<Job> jobs) {
  std::lock_guard lock(mutex_);
  std::vector<Lines::value_type*> first;
  for (const Job& job : jobs) first.push_back(&*lines_.try_emplace(job.account).first);
  for (std::size_t i = jobs.size(); i-- > 0;) first[i]->second.jobs.push_front(std::move(jobs[i]));
  waiting_ += jobs.size();
  const auto later = std::exchange(turns_, {});
  for (Lines::value_type* line : later) line->second.in_turn = false;
  for (Lines::value_type* line : first) join_turns(*line);
  for (Lines::value_type* line : later) join_turns(*line);
}

bool JobQueue::others_wait(const std::string& account) const {
  std::lock_guard lock(mutex_);
  return std::any_of(turns_.begin(), turns_.end(), [&](const auto* line) { return line->first != account; });
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
