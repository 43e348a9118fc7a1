// SPDX-License-Identifier: Apache-2.0
// Lists of what no instance has here: network interfaces, volumes and addresses. Clients read them when they
// describe or delete something else, so that each list is there, and empty.
#include "services/ec2/errors.h"
#include "services/ec2/operations.h"
#include "shapes/ec2/absent_resource.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

void reject_ids(const std::optional<std::vector<std::string>>& ids, const char* code, const char* noun) {
  if (ids && !ids->empty()) throw id_not_found(code, noun, ids->front());
}

DescribeNetworkInterfacesResult describe_network_interfaces(Call&, const DescribeNetworkInterfacesRequest& request) {
  read_list_page(request.MaxResults, request.NextToken);
  reject_ids(request.NetworkInterfaceIds, "InvalidNetworkInterfaceID.NotFound", "networkInterface ID");
  check_dry_run(request.DryRun);
  DescribeNetworkInterfacesResult result;
  result.NetworkInterfaces.emplace();
  return result;
}

DescribeVolumesResult describe_volumes(Call&, const DescribeVolumesRequest& request) {
  read_list_page(request.MaxResults, request.NextToken);
  if (request.VolumeIds && !request.VolumeIds->empty()) {
    throw wire::ApiError("InvalidVolume.NotFound", "The volume '" + request.VolumeIds->front() + "' does not exist.");
  }
  check_dry_run(request.DryRun);
  DescribeVolumesResult result;
  result.Volumes.emplace();
  return result;
}

DescribeAddressesResult describe_addresses(Call&, const DescribeAddressesRequest& request) {
  reject_ids(request.AllocationIds, "InvalidAllocationID.NotFound", "allocation ID");
  if (request.PublicIps && !request.PublicIps->empty()) {
    throw wire::ApiError("InvalidAddress.NotFound", "Address '" + request.PublicIps->front() + "' not found.");
  }
  check_dry_run(request.DryRun);
  DescribeAddressesResult result;
  result.Addresses.emplace();
  return result;
}

}  // namespace

std::vector<Operation> absent_resource_operations() {
  return {operation<&describe_network_interfaces>("DescribeNetworkInterfaces", Access::Read),
          operation<&describe_volumes>("DescribeVolumes", Access::Read),
          operation<&describe_addresses>("DescribeAddresses", Access::Read)};
}

}  // namespace services::ec2
