// SPDX-License-Identifier: Apache-2.0
// Places for connections, counted by kind, by address and by account, so that one client cannot occupy all of them.
//
// A connection enters as unknown. A request with a valid signature makes it a client's, and if it is a WebSocket, an
// agent's; WebSockets of Exec's clients are clients'.
// There are few places for unknown connections, and they are given up soon; the others are not reached without a key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace http {

enum class ConnectionKind { Local, Unknown, Client, Agent };
inline constexpr std::size_t kConnectionKinds = 4;

// Why a connection was turned away: all places are taken, those for unknown connections are, or the address or the
// account has its share.
enum class Refusal { Full, Unknown, Address, Account };
inline constexpr std::size_t kRefusals = 4;

// By default there is one limit, for servers without accounts and agents.
struct AdmissionLimits {
  std::size_t all = 4096;
  std::size_t agents = 0;                                  // of these, reserved for agents
  std::size_t clients = 0;                                 // of these, reserved for clients
  std::size_t unknown = static_cast<std::size_t>(-1);      // that have not shown a key
  std::size_t per_address = static_cast<std::size_t>(-1);  // of the unknown ones
  std::size_t per_account = static_cast<std::size_t>(-1);  // without agents
  std::size_t agents_per_account = static_cast<std::size_t>(-1);
  std::size_t all_per_account = static_cast<std::size_t>(-1);  // with agents
};

class Admission {
 public:
  explicit Admission(AdmissionLimits limits)
      : limits_(limits), entrance_(limits.unknown < limits.all ? limits.unknown : 0) {}

  // The place of one connection, until it is destroyed.
  class Place {
   public:
    Place(Admission& admission, ConnectionKind kind, std::string address)
        : admission_(&admission), kind_(kind), address_(std::move(address)) {}
    Place(Place&& other) noexcept;
    Place& operator=(Place&&) = delete;
    ~Place();

    const std::string& address() const { return address_; }
    // False where there is no place, or the account has its share of connections: this one has to end.
    bool set_account(const std::string& account);
    // False where all places that agents may take are taken, or the account's share of them.
    bool set_agent(const std::string& account);
    // Whether the last of these was false because of the account's share.
    bool account_is_full() const { return account_is_full_; }

   private:
    friend class Admission;
    Admission* admission_;  // null once moved from
    ConnectionKind kind_;
    std::string address_, account_;
    bool account_is_full_ = false;
  };

  // nullopt: turned away. Local connections, those of the unix socket, have places of their own.
  std::optional<Place> enter(bool local, std::string address);

  struct Counts {
    std::array<std::size_t, kConnectionKinds> connections = {};
    std::array<std::uint64_t, kRefusals> refused = {};
  };
  Counts counts() const;

 private:
  using Shares = std::unordered_map<std::string, std::size_t>;

  std::size_t& count(ConnectionKind kind) { return counts_.connections[static_cast<std::size_t>(kind)]; }
  bool refuse(Refusal why);
  bool refuse_account(Place& place);
  bool has_room() const;
  // Whether an account has its share of one kind, of which it has `shares`, or of all connections.
  bool has_all_it_may(const Place& place, const std::string& account, const Shares& shares, std::size_t limit) const;
  void leave(Place& place);

  const AdmissionLimits limits_;
  const std::size_t entrance_;  // places that only unknown connections use
  mutable std::mutex mutex_;
  Counts counts_;
  Shares addresses_, accounts_, agents_;  // unknown connections by address, clients and agents by account
};

}  // namespace http
