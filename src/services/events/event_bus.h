// SPDX-License-Identifier: Apache-2.0
// Event buses. The bus "default" exists in each account and region, with a row only once it has a setting of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "shapes/events/rule.h"

namespace services::events {

inline constexpr char kDefaultBus[] = "default";
inline constexpr std::int64_t kMaxBuses = 100;  // Amazon's, of an account in a region

// Where a bus is, and its name.
struct BusName {
  std::string account, region, name = kDefaultBus;

  std::string arn() const;
};

struct StoredBus {
  BusName id;
  std::optional<std::string> description, policy;
  std::vector<shapes::events::Tag> tags;
  std::optional<base::Time> created_at, modified_at;
};

// What a request means by a name or an ARN; absent: the default bus. nullopt for the ARN of something else.
std::optional<BusName> read_bus_name(const Caller& caller, const std::optional<std::string>& text);

std::optional<StoredBus> load_bus(Call& call, const BusName& name);
// An existing bus of the caller's account and region; throws ResourceNotFoundException.
StoredBus find_bus(Call& call, const std::optional<std::string>& text);
void save_bus(Call& call, StoredBus bus);

// Whether a bus of another account accepts events of this principal.
bool admits(const Call& call, const StoredBus& bus, const std::string& account);

}  // namespace services::events
