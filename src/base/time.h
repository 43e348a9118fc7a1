// SPDX-License-Identifier: Apache-2.0
// Points in time, and clocks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace base {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;

constexpr std::int64_t to_millis(Time t) { return t.time_since_epoch().count(); }
constexpr Time from_millis(std::int64_t ms) { return Time{Duration{ms}}; }
constexpr std::int64_t to_seconds(Time t) { return to_millis(t) / 1000; }
constexpr Time from_seconds(std::int64_t s) { return Time{std::chrono::seconds{s}}; }

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
};

// A clock that only advances when a test moves it. Safe to move from any thread.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Time start) : ms_(to_millis(start)) {}
  Time now() const override { return from_millis(ms_.load()); }
  void advance(Duration d) { ms_ += d.count(); }
  void set(Time t) { ms_ = to_millis(t); }

 private:
  std::atomic<std::int64_t> ms_;
};

}  // namespace base
