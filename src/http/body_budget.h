// SPDX-License-Identifier: Apache-2.0
// The memory for bodies, shared by all connections. One budget is for requests whose signature is not verified yet, by
// address: whoever knows the id of a key can send bodies without knowing its secret. Another one is for requests of
// accounts while they are handled, and for responses that clients do not read, by account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace http {

struct BodyLimits {
  std::size_t all = 256 * 1024 * 1024;
  std::size_t per_owner = 64 * 1024 * 1024;  // of an address, or of an account
};

class BodyBudget {
 public:
  // Of each body, not counted: when the budget is used up, short requests are still served.
  static constexpr std::size_t kFreeBytes = 8 * 1024;

  explicit BodyBudget(BodyLimits limits) : limits_(limits) {}

  // What one connection uses of it. Returned when it is destroyed.
  class Loan {
   public:
    Loan(BodyBudget& budget, std::string owner) : budget_(budget), owner_(std::move(owner)) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { release(); }

    // Of later bodies.
    void set_owner(const std::string& owner);
    // Grows to cover a body of so many bytes. False, and unchanged, where the budget is used up.
    bool cover(std::size_t bytes);
    void release();
    // Whether cover() would succeed. Counts a refusal as cover() does.
    bool could_cover(std::size_t bytes) const;

   private:
    BodyBudget& budget_;
    std::string owner_;
    std::size_t bytes_ = 0;
  };

  std::size_t used() const;
  std::uint64_t refused() const;

 private:
  bool has_room(const std::string& owner, std::size_t more);

  const BodyLimits limits_;
  mutable std::mutex mutex_;
  std::size_t used_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::string, std::size_t> by_owner_;
};

}  // namespace http
