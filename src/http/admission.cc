// SPDX-License-Identifier: Apache-2.0
#include "http/admission.h"

#include <utility>

namespace http {
namespace {

// The unix socket is reachable for the owner of the data folder only.
constexpr std::size_t kMaxLocal = 256;

std::size_t share_of(const std::unordered_map<std::string, std::size_t>& shares, const std::string& name) {
  auto found = shares.find(name);
  return found == shares.end() ? 0 : found->second;
}

bool has_share(const std::unordered_map<std::string, std::size_t>& shares, const std::string& name, std::size_t limit) {
  return share_of(shares, name) >= limit;
}

void give_up(std::unordered_map<std::string, std::size_t>& shares, const std::string& name) {
  auto found = shares.find(name);
  if (--found->second == 0) shares.erase(found);
}

}  // namespace

Admission::Place::Place(Place&& other) noexcept
    : admission_(std::exchange(other.admission_, nullptr)),
      kind_(other.kind_),
      address_(std::move(other.address_)),
      account_(std::move(other.account_)) {}

Admission::Place::~Place() {
  if (!admission_) return;
  std::lock_guard lock(admission_->mutex_);
  admission_->leave(*this);
}

bool Admission::refuse(Refusal why) {
  ++counts_.refused[static_cast<std::size_t>(why)];
  return false;
}

bool Admission::refuse_account(Place& place) {
  place.account_is_full_ = true;
  return refuse(Refusal::Account);
}

// Whether one more connection that has shown a key has a place.
bool Admission::has_room() const {
  const auto of = [&](ConnectionKind kind) { return counts_.connections[static_cast<std::size_t>(kind)]; };
  return of(ConnectionKind::Client) + of(ConnectionKind::Agent) + entrance_ < limits_.all;
}

void Admission::leave(Place& place) {
  --count(place.kind_);
  if (place.kind_ == ConnectionKind::Unknown) give_up(addresses_, place.address_);
  if (place.kind_ == ConnectionKind::Client) give_up(accounts_, place.account_);
  if (place.kind_ == ConnectionKind::Agent) give_up(agents_, place.account_);
}

std::optional<Admission::Place> Admission::enter(bool local, std::string address) {
  std::lock_guard lock(mutex_);
  const ConnectionKind kind = local ? ConnectionKind::Local : ConnectionKind::Unknown;
  bool allowed = true;
  if (local) {
    if (count(kind) >= kMaxLocal) allowed = refuse(Refusal::Full);
  } else if (count(kind) + count(ConnectionKind::Client) + count(ConnectionKind::Agent) >= limits_.all) {
    allowed = refuse(Refusal::Full);
  } else if (count(kind) >= limits_.unknown) {
    allowed = refuse(Refusal::Unknown);
  } else if (has_share(addresses_, address, limits_.per_address)) {
    allowed = refuse(Refusal::Address);
  }
  if (!allowed) return std::nullopt;
  ++count(kind);
  if (!local) ++addresses_[address];
  return std::make_optional<Place>(*this, kind, std::move(address));
}

bool Admission::has_all_it_may(const Place& place, const std::string& account, const Shares& shares,
                               std::size_t limit) const {
  if (has_share(shares, account, limit)) return true;
  // A client's connection that becomes an agent's of the same account is counted already.
  const bool counted = place.kind_ == ConnectionKind::Client && place.account_ == account;
  return !counted && share_of(accounts_, account) + share_of(agents_, account) >= limits_.all_per_account;
}

bool Admission::Place::set_account(const std::string& account) {
  // Most connections serve one account, so that this takes no lock.
  const bool changes = kind_ == ConnectionKind::Unknown || (kind_ == ConnectionKind::Client && account_ != account);
  if (!changes) return true;
  Admission& all = *admission_;
  std::lock_guard lock(all.mutex_);
  const bool unknown = kind_ == ConnectionKind::Unknown;
  const std::size_t clients = all.count(ConnectionKind::Client);
  if (unknown && (!all.has_room() || clients + all.limits_.agents + all.entrance_ >= all.limits_.all)) {
    return all.refuse(Refusal::Full);
  }
  if (all.has_all_it_may(*this, account, all.accounts_, all.limits_.per_account)) return all.refuse_account(*this);
  all.leave(*this);
  kind_ = ConnectionKind::Client;
  account_ = account;
  ++all.count(kind_);
  ++all.accounts_[account];
  return true;
}

bool Admission::Place::set_agent(const std::string& account) {
  if (kind_ == ConnectionKind::Local || kind_ == ConnectionKind::Agent) return true;
  Admission& all = *admission_;
  std::lock_guard lock(all.mutex_);
  if (kind_ == ConnectionKind::Unknown && !all.has_room()) return all.refuse(Refusal::Full);
  const std::size_t agents = all.count(ConnectionKind::Agent);
  if (agents + all.limits_.clients + all.entrance_ >= all.limits_.all) return all.refuse(Refusal::Full);
  if (all.has_all_it_may(*this, account, all.agents_, all.limits_.agents_per_account)) return all.refuse_account(*this);
  all.leave(*this);
  kind_ = ConnectionKind::Agent;
  account_ = account;
  ++all.count(kind_);
  ++all.agents_[account];
  return true;
}

Admission::Counts Admission::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace http
