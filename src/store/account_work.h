// SPDX-License-Identifier: Apache-2.0
// Works of accounts: the store lets accounts take turns, and bounds the time of one work.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "store/store.h"

namespace store {

// store.write(AccountWork{account, work}, done). Other works are the server's own: they take turns like an account, and
// their time is unlimited.
struct AccountWork {
  std::string account;
  Store::Work work;

  void operator()(Tx& tx) const { work(tx); }
};

// "" for the server's own works.
inline std::string account_of(const Store::Work& work) {
  const auto* owned = work.target<AccountWork>();
  return owned ? owned->account : std::string();
}

// Of one work of an account, in time of the processor: a busy machine must not make requests fail. A longer work is
// rolled back, with OverTime.
inline constexpr std::chrono::milliseconds kMaxReadTime = std::chrono::seconds(10);
inline constexpr std::chrono::milliseconds kMaxWriteTime = std::chrono::seconds(2);

// Of a read on the thread of its caller, which holds up everything else there. A longer one runs again on a reader.
inline constexpr std::chrono::milliseconds kMaxTimeHere{2};

class OverTime : public Error {
 public:
  OverTime() : Error(ErrorKind::Busy, "the transaction took more time than one request may take") {}
};

}  // namespace store
