// SPDX-License-Identifier: Apache-2.0
#include "services/events/event_bus.h"

#include "services/arn.h"
#include "services/events/errors.h"
#include "services/events/rule_tags.h"
#include "services/policy.h"
#include "services/shape_json.h"

namespace services::events {
namespace {

constexpr std::string_view kResource = "event-bus/";

wire::ApiError bus_not_found(const std::string& name) {
  return wire::ApiError("ResourceNotFoundException", "Event bus " + name + " does not exist.");
}

}  // namespace

std::string BusName::arn() const { return Arn{"events", region, account, std::string(kResource) + name}.str(); }

std::optional<BusName> read_bus_name(const Caller& caller, const std::optional<std::string>& text) {
  BusName bus{.account = caller.account, .region = caller.region};
  if (!text || text->empty()) return bus;
  bus.name = *text;
  if (!text->starts_with("arn:")) return bus;
  const auto arn = parse_arn(*text, "events");
  if (!arn || !arn->resource.starts_with(kResource)) return std::nullopt;
  bus.account = arn->account;
  bus.region = arn->region;
  bus.name = arn->resource.substr(kResource.size());
  return bus;
}

std::optional<StoredBus> load_bus(Call& call, const BusName& name) {
  if (name.arn().find('\0') != std::string::npos) return std::nullopt;
  const auto read = [&](const store::Row& row) {
    return StoredBus{.id = name,
                     .description = row.maybe_str(0),
                     .policy = row.maybe_str(1),
                     .tags = from_json<TagList>(row.text(2)).tags,
                     .created_at = row.maybe_time(3),
                     .modified_at = row.maybe_time(4)};
  };
  auto bus = call.tx
                 .query("SELECT description, policy, tags, created_at, modified_at FROM events_buses"
                        " WHERE account = $1 AND region = $2 AND name = $3",
                        name.account, name.region, name.name)
                 .one(read);
  if (!bus && name.name == kDefaultBus) return StoredBus{.id = name};
  return bus;
}

StoredBus find_bus(Call& call, const std::optional<std::string>& text) {
  const auto name = read_bus_name(call.caller, text);
  const bool own = name && name->account == call.caller.account && name->region == call.caller.region;
  auto bus = own ? load_bus(call, *name) : std::nullopt;
  if (!bus) throw bus_not_found(name ? name->name : *text);
  return std::move(*bus);
}

void save_bus(Call& call, StoredBus bus) {
  call.tx.exec(
      "INSERT INTO events_buses (account, region, name, description, policy, tags, created_at, modified_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account, region, name) DO UPDATE SET"
      " description = excluded.description, policy = excluded.policy, tags = excluded.tags,"
      " modified_at = excluded.modified_at",
      bus.id.account, bus.id.region, bus.id.name, bus.description, bus.policy, to_json(TagList{bus.tags}),
      bus.created_at.value_or(call.now), bus.modified_at.value_or(call.now));
}

bool admits(const Call& call, const StoredBus& bus, const std::string& account) {
  if (bus.id.account == account) return true;
  if (!bus.policy) return false;
  const policy::Request request{.principal_account = account,
                                .principal_service = {},
                                .principal_canonical = {},
                                .action = "events:PutEvents",
                                .resource = bus.id.arn(),
                                .context = policy::context_of(call.caller, call.now)};
  return policy::evaluate(*bus.policy, request) == policy::Verdict::Allowed;
}

}  // namespace services::events
