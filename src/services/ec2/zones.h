// SPDX-License-Identifier: Apache-2.0
// Availability Zones: every region has three, "us-east-1a" to "us-east-1c". A zone is a name that instances carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace services::ec2 {

std::vector<std::string> zones_of(const std::string& region);
// "use1-az1" of "us-east-1a"
std::string zone_id(const std::string& zone);
// Throws unless the zone, or the zone with this id, is one of the region's. Returns its name.
std::string check_zone(const std::string& region, const std::string& zone);
std::string check_zone_id(const std::string& region, const std::string& id);

}  // namespace services::ec2
