// SPDX-License-Identifier: Apache-2.0
// Connections that have shown neither a signature nor a token. Everybody can open one and then say nothing: there are
// only so many at the same time, and a share of them for an address.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/guarded.h"

namespace doors::exec {

inline constexpr std::size_t kMaxOpening = 64, kMaxOpeningOfAddress = 16;

class Openings {
 public:
  bool enter(const std::string& address) {
    return counts_.with([&](Counts& counts) {
      const auto known = counts.addresses.find(address);
      const bool has_share = known != counts.addresses.end() && known->second >= kMaxOpeningOfAddress;
      if (counts.all >= kMaxOpening || has_share) return false;
      ++counts.all;
      ++counts.addresses[address];
      return true;
    });
  }
  void leave(const std::string& address) {
    counts_.with([&](Counts& counts) {
      --counts.all;
      if (--counts.addresses[address] == 0) counts.addresses.erase(address);
      return true;
    });
  }

 private:
  struct Counts {
    std::size_t all = 0;
    std::map<std::string, std::size_t> addresses = {};  // that have some
  };
  base::Guarded<Counts> counts_;
};

// One of them, until it ends.
class Opening {
 public:
  Opening(Openings& all, std::string address) : all_(all), address_(std::move(address)), admitted_(all_.enter(address_)) {}
  ~Opening() { end(); }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  bool admitted() const { return admitted_; }
  void end() {
    if (admitted_) all_.leave(address_);
    admitted_ = false;
  }

 private:
  Openings& all_;
  const std::string address_;
  bool admitted_;
};

// "127.0.0.1" of the peer "127.0.0.1:5555". Of an IPv6 address, its network: a host has a whole one.
std::string network_of(const std::string& peer);

}  // namespace doors::exec
