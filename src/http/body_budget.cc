// SPDX-License-Identifier: Apache-2.0
#include "http/body_budget.h"

namespace http {

// Counts the refusal.
bool BodyBudget::has_room(const std::string& owner, std::size_t more) {
  auto found = by_owner_.find(owner);
  const std::size_t own = found == by_owner_.end() ? 0 : found->second;
  const bool room = more <= limits_.all - used_ && own + more <= limits_.per_owner;
  if (!room) ++refused_;
  return room;
}

bool BodyBudget::Loan::cover(std::size_t bytes) {
  if (bytes <= kFreeBytes || bytes - kFreeBytes <= bytes_) return true;
  const std::size_t more = bytes - kFreeBytes - bytes_;
  std::lock_guard lock(budget_.mutex_);
  if (!budget_.has_room(owner_, more)) return false;
  budget_.used_ += more;
  budget_.by_owner_[owner_] += more;
  bytes_ += more;
  return true;
}

bool BodyBudget::Loan::could_cover(std::size_t bytes) const {
  if (bytes <= kFreeBytes || bytes - kFreeBytes <= bytes_) return true;
  std::lock_guard lock(budget_.mutex_);
  return budget_.has_room(owner_, bytes - kFreeBytes - bytes_);
}

void BodyBudget::Loan::set_owner(const std::string& owner) {
  if (owner_ == owner) return;
  release();
  owner_ = owner;
}

void BodyBudget::Loan::release() {
  if (bytes_ == 0) return;
  std::lock_guard lock(budget_.mutex_);
  budget_.used_ -= bytes_;
  auto found = budget_.by_owner_.find(owner_);
  found->second -= bytes_;
  if (found->second == 0) budget_.by_owner_.erase(found);
  bytes_ = 0;
}

std::size_t BodyBudget::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

std::uint64_t BodyBudget::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace http
