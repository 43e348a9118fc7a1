// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instances/launch_checks.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

void check_placement(const Placement& placement, const std::string& path) {
  reject_members(placement,
                 {"Affinity", "GroupName", "PartitionNumber", "HostId", "SpreadDomain", "HostResourceGroupArn", "GroupId"},
                 path + "Placement.");
  if (placement.Tenancy.value_or("default") != "default") throw unsupported_parameter(path + "Placement.Tenancy");
}

void check_network_interfaces(const std::vector<InstanceNetworkInterfaceSpecification>& interfaces,
                              const std::string& path) {
  if (interfaces.size() > 1) {
    throw wire::ApiError("UnsupportedOperation", "Stoker does not support more than one element of NetworkInterfaces.");
  }
  for (const auto& one : interfaces) {
    reject_members(one,
                   {"Ipv6AddressCount", "Ipv6Addresses", "NetworkInterfaceId", "PrivateIpAddress", "PrivateIpAddresses",
                    "SecondaryPrivateIpAddressCount", "AssociateCarrierIpAddress", "Ipv4Prefixes", "Ipv4PrefixCount",
                    "Ipv6Prefixes", "Ipv6PrefixCount", "PrimaryIpv6", "EnaSrdSpecification",
                    "ConnectionTrackingSpecification", "EnaQueueCount"},
                   path + "NetworkInterfaces.");
    if (one.InterfaceType.value_or("interface") != "interface") {
      throw unsupported_parameter(path + "NetworkInterfaces.InterfaceType");
    }
    if (one.DeviceIndex.value_or(0) != 0) throw unsupported_parameter(path + "NetworkInterfaces.DeviceIndex");
    if (one.NetworkCardIndex.value_or(0) != 0) throw unsupported_parameter(path + "NetworkInterfaces.NetworkCardIndex");
  }
}

}  // namespace

void check_launch_members(const RunInstancesRequest& request, const std::string& path) {
  reject_members(request,
                 {"KernelId", "RamdiskId", "Ipv6AddressCount", "Ipv6Addresses", "ElasticGpuSpecification",
                  "ElasticInferenceAccelerators", "InstanceMarketOptions", "CpuOptions", "LicenseSpecifications",
                  "EnablePrimaryIpv6", "Operator", "SecondaryInterfaces", "PrivateIpAddress", "AdditionalInfo"},
                 path);
  if (request.HibernationOptions && request.HibernationOptions->Configured.value_or(false)) {
    throw unsupported_parameter(path + "HibernationOptions");
  }
  if (request.EnclaveOptions && request.EnclaveOptions->Enabled.value_or(false)) {
    throw unsupported_parameter(path + "EnclaveOptions");
  }
  const auto& reservation = request.CapacityReservationSpecification;
  if (reservation && (reservation->CapacityReservationTarget ||
                      reservation->CapacityReservationPreference == "capacity-reservations-only")) {
    throw unsupported_parameter(path + "CapacityReservationSpecification");
  }
  if (request.Placement) check_placement(*request.Placement, path);
  if (request.NetworkInterfaces) check_network_interfaces(*request.NetworkInterfaces, path);
  if (request.ImageId && request.ImageId->starts_with("resolve:")) {
    throw unsupported_parameter(path + "ImageId with the value " + *request.ImageId);
  }
  if (request.ImageId && !is_id(*request.ImageId, "ami")) {
    throw malformed_image_id(*request.ImageId);
  }
}

const model::InstanceType& check_instance_type(const Call& call, const std::string& name) {
  const auto* type = model::find_instance_type(call.local<InstanceTypeCatalogue>().types, name);
  if (!type) throw invalid_value("Invalid value '" + name + "' for InstanceType.");
  return *type;
}

std::string check_user_data(const std::optional<std::string>& base64, const std::string& malformed) {
  if (!base64 || base64->empty()) return "";
  std::string compact = *base64;
  std::erase_if(compact, [](char c) { return c == '\n' || c == '\r'; });
  auto text = base::from_base64(compact);
  if (!text) throw wire::ApiError(malformed, "Invalid BASE64 encoding of user data.");
  if (text->size() > kMaxUserData) throw invalid_value("User data is limited to 16384 bytes");
  return *text;
}

std::string architecture_of(const std::string& instance_type) {
  // Amazon's families with Graviton end in a number and a g ("t4g", "m7g", "g5g"), before letters for disks or networks.
  const std::string family = instance_type.substr(0, instance_type.find('.'));
  const auto digit = family.find_first_of("0123456789");
  const bool graviton = digit != family.npos && family.find('g', digit) == digit + 1;
  return graviton ? "arm64" : "x86_64";
}

}  // namespace services::ec2
