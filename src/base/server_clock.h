// SPDX-License-Identifier: Apache-2.0
// The server's time. It follows the machine's clock, but never goes back: messages, leases and delays have times in it,
// and an hour that happens twice would hide them.
//
// Where the machine's clock was set back, the server's runs at three quarters of its speed until the other has caught
// up. Where it was set forward by up to a day, the server follows at once; by more, which is probably a mistake, it runs
// at double speed, so that not all that expires does so at once.
//
// A machine without a battery for its clock begins in 1970, or where it was switched off, and gets the time from the
// network later. So a step from a time that no set clock shows, or back to the time of an earlier server, is no mistake:
// it is followed at once.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include "base/time.h"

namespace base {

class ServerClock final : public Clock {
 public:
  // Time that passes at the speed of a clock that nobody sets.
  using Elapsed = std::function<std::chrono::nanoseconds()>;
  static std::chrono::nanoseconds since_boot();

  static constexpr Duration kMostAtOnce = std::chrono::hours(24);
  static constexpr Duration kNoticeable = std::chrono::seconds(2);  // of a change, for the log

  // `machine` outlives it.
  explicit ServerClock(const Clock& machine, Elapsed elapsed = &since_boot);

  // At start: `last` was the time of an earlier server. If it lies up to a day ahead, this clock continues from it; if it
  // lies further ahead, once the machine's clock has come back to it.
  void continue_from(Time last);

  Time now() const override;
  // How far it is ahead of the machine's clock; negative: behind.
  Duration ahead() const;

 private:
  using Nanos = std::chrono::nanoseconds;
  Nanos machine_time() const { return machine_.now().time_since_epoch(); }
  void advance() const;
  // Whether the machine's clock was wrong so far, and is right at this time.
  bool is_set_right(Nanos machine) const;

  const Clock& machine_;
  const Elapsed elapsed_;
  mutable std::mutex mutex_;
  // At the last reading:
  mutable Nanos time_;
  mutable Nanos elapsed_then_;
  mutable Nanos machine_then_;
  // The time of an earlier server, while this clock is more than a day behind it.
  mutable std::optional<Nanos> recorded_;
};

}  // namespace base
