// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/zones.h"

#include <algorithm>

#include "services/call.h"
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/operations.h"
#include "shapes/ec2/zone.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::string_view kZoneFilters[] = {"group-name", "message",   "opt-in-status", "region-name",
                                             "state",      "zone-id",   "zone-type",     "zone-name"};
constexpr std::string_view kRegionFilters[] = {"endpoint", "opt-in-status", "region-name"};

// Those that need no opt-in at Amazon.
constexpr std::string_view kRegions[] = {
    "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1", "ap-southeast-2",
    "ca-central-1",   "eu-central-1",   "eu-north-1",     "eu-west-1",  "eu-west-2",      "eu-west-3",
    "sa-east-1",      "us-east-1",      "us-east-2",      "us-west-1",  "us-west-2"};

// "ne" of "northeast"
std::string abbreviate(std::string_view word) {
  for (std::string_view first : {"north", "south"}) {
    if (word.starts_with(first) && word.size() > first.size()) return {first[0], word[first.size()]};
  }
  const bool is_direction = word == "north" || word == "south" || word == "east" || word == "west" ||
                            word == "central" || word == "gov";
  return is_direction ? std::string(1, word[0]) : std::string(word);
}

AvailabilityZone shown_zone(const std::string& region, const std::string& zone) {
  AvailabilityZone shape;
  shape.OptInStatus = "opt-in-not-required";
  shape.Messages.emplace();
  shape.RegionName = region;
  shape.ZoneName = zone;
  shape.ZoneId = zone_id(zone);
  shape.GroupName = region + "-zg-1";
  shape.NetworkBorderGroup = region;
  shape.ZoneType = "availability-zone";
  shape.State = "available";
  return shape;
}

std::vector<std::string> zone_values(const AvailabilityZone& zone, std::string_view name) {
  if (name == "group-name") return as_values(zone.GroupName);
  if (name == "opt-in-status") return as_values(zone.OptInStatus);
  if (name == "region-name") return as_values(zone.RegionName);
  if (name == "state") return as_values(zone.State);
  if (name == "zone-id") return as_values(zone.ZoneId);
  if (name == "zone-type") return as_values(zone.ZoneType);
  if (name == "zone-name") return as_values(zone.ZoneName);
  return {};
}

bool is_listed(const std::optional<std::vector<std::string>>& names, const std::string& name) {
  return !names || std::find(names->begin(), names->end(), name) != names->end();
}

DescribeAvailabilityZonesResult describe_availability_zones(Call& call, const DescribeAvailabilityZonesRequest& request) {
  check_filters(request.Filters, kZoneFilters);
  check_dry_run(request.DryRun);
  const std::string& region = call.caller.region;
  for (const std::string& zone : request.ZoneNames.value_or(std::vector<std::string>())) check_zone(region, zone);
  for (const std::string& id : request.ZoneIds.value_or(std::vector<std::string>())) check_zone_id(region, id);
  DescribeAvailabilityZonesResult result;
  result.AvailabilityZones.emplace();
  for (const std::string& zone : zones_of(region)) {
    const AvailabilityZone shape = shown_zone(region, zone);
    const bool wanted = is_listed(request.ZoneNames, zone) && is_listed(request.ZoneIds, *shape.ZoneId);
    const auto values = [&](std::string_view name) { return zone_values(shape, name); };
    if (wanted && passes(request.Filters, {}, values)) result.AvailabilityZones->push_back(shape);
  }
  return result;
}

DescribeRegionsResult describe_regions(Call& call, const DescribeRegionsRequest& request) {
  check_filters(request.Filters, kRegionFilters);
  check_dry_run(request.DryRun);
  std::vector<std::string> regions(std::begin(kRegions), std::end(kRegions));
  // Stoker accepts any region that a client signs for.
  if (std::find(regions.begin(), regions.end(), call.caller.region) == regions.end()) {
    regions.push_back(call.caller.region);
    std::sort(regions.begin(), regions.end());
  }
  for (const std::string& name : request.RegionNames.value_or(std::vector<std::string>())) {
    if (std::find(regions.begin(), regions.end(), name) == regions.end()) {
      throw invalid_value("Invalid region provided: " + name);
    }
  }
  DescribeRegionsResult result;
  result.Regions.emplace();
  for (const std::string& name : regions) {
    Region region;
    region.RegionName = name;
    region.Endpoint = "ec2." + name + ".amazonaws.com";
    region.OptInStatus = "opt-in-not-required";
    const auto values = [&](std::string_view filter) {
      return as_values(filter == "endpoint" ? region.Endpoint
                                            : filter == "region-name" ? region.RegionName : region.OptInStatus);
    };
    if (is_listed(request.RegionNames, name) && passes(request.Filters, {}, values)) result.Regions->push_back(region);
  }
  return result;
}

}  // namespace

std::vector<std::string> zones_of(const std::string& region) { return {region + "a", region + "b", region + "c"}; }

std::string zone_id(const std::string& zone) {
  if (zone.empty()) return "";
  std::string_view region = std::string_view(zone).substr(0, zone.size() - 1);
  std::string id;
  while (!region.empty()) {
    const std::string_view word = region.substr(0, region.find('-'));
    id += abbreviate(word);
    region.remove_prefix(std::min(region.size(), word.size() + 1));
  }
  return id + "-az" + std::to_string(zone.back() - 'a' + 1);
}

std::string check_zone(const std::string& region, const std::string& zone) {
  const auto zones = zones_of(region);
  if (std::find(zones.begin(), zones.end(), zone) == zones.end()) {
    throw invalid_value("Invalid availability zone: [" + zone + "]");
  }
  return zone;
}

std::string check_zone_id(const std::string& region, const std::string& id) {
  for (const std::string& zone : zones_of(region)) {
    if (zone_id(zone) == id) return zone;
  }
  throw invalid_value("Invalid availability zone-id: [" + id + "]");
}

std::vector<Operation> zone_operations() {
  return {operation<&describe_availability_zones>("DescribeAvailabilityZones", Access::Read),
          operation<&describe_regions>("DescribeRegions", Access::Read)};
}

}  // namespace services::ec2
