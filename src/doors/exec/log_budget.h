// SPDX-License-Identifier: Apache-2.0
// The memory for the output of sessions that is kept for their logs until they end. All sessions share it, so that many of
// them do not use up the server's, and an account has a share of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/guarded.h"

namespace doors::exec {

class LogBudget {
 public:
  static constexpr std::size_t kAll = 256 * 1024 * 1024, kOfAccount = kAll / 4;

  explicit LogBudget(std::size_t all = kAll, std::size_t of_account = kOfAccount) : all_(all), of_account_(of_account) {}

  // What one session has of it, until it is destroyed.
  class Loan {
   public:
    Loan() = default;  // without a budget: as much as is wanted
    Loan(LogBudget& budget, std::string account) : budget_(&budget), account_(std::move(account)) {}
    Loan(Loan&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), account_(std::move(other.account_)), bytes_(other.bytes_) {}
    Loan& operator=(Loan&&) = delete;
    ~Loan() {
      if (budget_) budget_->give_back(account_, bytes_);
    }

    // How much of the wanted bytes it has got.
    std::size_t take(std::size_t wanted) {
      const std::size_t got = budget_ ? budget_->take(account_, wanted) : wanted;
      bytes_ += got;
      return got;
    }

   private:
    LogBudget* budget_ = nullptr;
    std::string account_ = {};
    std::size_t bytes_ = 0;
  };

 private:
  struct Used {
    std::size_t all = 0;
    std::map<std::string, std::size_t> accounts = {};  // that use some
  };

  std::size_t take(const std::string& account, std::size_t wanted) {
    return used_.with([&](Used& used) {
      std::size_t& own = used.accounts[account];
      const std::size_t got = std::min({wanted, all_ - used.all, of_account_ - own});
      used.all += got;
      own += got;
      if (own == 0) used.accounts.erase(account);
      return got;
    });
  }
  void give_back(const std::string& account, std::size_t bytes) {
    used_.with([&](Used& used) {
      if (bytes == 0) return true;
      const auto own = used.accounts.find(account);
      used.all -= bytes;
      own->second -= bytes;
      if (own->second == 0) used.accounts.erase(own);
      return true;
    });
  }

  const std::size_t all_, of_account_;
  base::Guarded<Used> used_;
};

}  // namespace doors::exec
