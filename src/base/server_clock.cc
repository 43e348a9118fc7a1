// SPDX-License-Identifier: Apache-2.0
#include "base/server_clock.h"

#include <time.h>

#include <algorithm>
#include <string>

#include "base/log.h"
#include "base/plausible_time.h"

namespace base {
namespace {

using Nanos = std::chrono::nanoseconds;

std::string seconds_text(Nanos time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

// Unlike CLOCK_MONOTONIC it goes on while the machine sleeps.
Nanos ServerClock::since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

ServerClock::ServerClock(const Clock& machine, Elapsed elapsed)
    : machine_(machine),
      elapsed_(std::move(elapsed)),
      time_(machine_time()),
      elapsed_then_(elapsed_()),
      machine_then_(time_) {}

void ServerClock::continue_from(Time last) {
  std::lock_guard lock(mutex_);
  const Nanos before = last.time_since_epoch();
  const Nanos gap = before - time_;
  if (gap <= kNoticeable) {
    time_ = std::max(time_, before);
    return;
  }
  if (gap > kMostAtOnce) {
    log_error("the clock is more than a day earlier than at the last stop: times in the database are in the future",
              {{"by", seconds_text(gap)}});
    recorded_ = before;
    return;
  }
  log_warn("the clock is earlier than at the last stop: continuing from there, more slowly until it has caught up",
           {{"by", seconds_text(gap)}});
  time_ = before;
}

Time ServerClock::now() const {
  std::lock_guard lock(mutex_);
  advance();
  return Time(std::chrono::floor<Duration>(time_));
}

Duration ServerClock::ahead() const {
  std::lock_guard lock(mutex_);
  advance();
  return std::chrono::duration_cast<Duration>(time_ - machine_time());
}

bool ServerClock::is_set_right(Nanos machine) const {
  const Nanos plausible = kFirstPlausibleTime.time_since_epoch();
  if (time_ < plausible) return machine >= plausible;
  return recorded_ && machine >= *recorded_ - kMostAtOnce;
}

void ServerClock::advance() const {
  const Nanos elapsed = elapsed_(), machine = machine_time();
  const Nanos passed = std::max(elapsed - elapsed_then_, Nanos(0));
  const Nanos change = machine - (machine_then_ + passed);
  if (std::chrono::abs(change) > kNoticeable) {
    log_warn("the machine's clock was changed", {{"by", seconds_text(change)}});
  }
  elapsed_then_ = std::max(elapsed, elapsed_then_);
  machine_then_ = machine;
  const Nanos expected = time_ + passed;
  if (machine < expected) {
    time_ = std::max(machine, time_ + passed * 3 / 4);
  } else if (machine - expected <= kMostAtOnce) {
    time_ = machine;
  } else if (is_set_right(machine)) {
    const bool returns = recorded_ && *recorded_ - machine <= kMostAtOnce;
    time_ = returns ? std::max(machine, *recorded_) : machine;
  } else {
    time_ = expected + passed;
  }
  if (recorded_ && time_ >= *recorded_) recorded_.reset();
}

}  // namespace base
