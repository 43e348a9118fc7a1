// SPDX-License-Identifier: Apache-2.0
// DescribeInstances: filters, pages, and instances by reservation.
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/operations.h"
#include "services/ec2/resource_tags.h"
#include "wire/timestamp.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::string_view kInstanceFilters[] = {
    "architecture", "availability-zone", "availability-zone-id", "client-token", "ebs-optimized", "group-id",
    "group-name", "iam-instance-profile.arn", "image-id", "instance-id", "instance-lifecycle", "instance-state-code",
    "instance-state-name", "instance-type", "instance.group-id", "instance.group-name", "key-name", "launch-index",
    "launch-time", "metadata-options.http-endpoint", "metadata-options.http-put-response-hop-limit",
    "metadata-options.http-tokens", "monitoring-state", "network-interface.group-id", "network-interface.subnet-id",
    "network-interface.vpc-id", "owner-id", "placement-group-name", "reason", "requester-id", "reservation-id",
    "state-reason-code", "state-reason-message", "subnet-id", "tenancy", "vpc-id",
    // Of Amazon's, those on what instances here lack: they match none.
    "affinity",
    "block-device-mapping.attach-time", "block-device-mapping.delete-on-termination",
    "block-device-mapping.device-name", "block-device-mapping.status", "block-device-mapping.volume-id",
    "capacity-reservation-id", "dns-name", "hibernation-options.configured", "host-id", "hypervisor", "ip-address",
    "ipv6-address", "kernel-id", "network-interface.addresses.private-ip-address",
    "network-interface.addresses.primary", "network-interface.addresses.association.public-ip",
    "network-interface.addresses.association.ip-owner-id", "network-interface.association.public-ip",
    "network-interface.association.ip-owner-id", "network-interface.association.allocation-id",
    "network-interface.association.association-id", "network-interface.attachment.attachment-id",
    "network-interface.attachment.instance-id", "network-interface.attachment.instance-owner-id",
    "network-interface.attachment.device-index", "network-interface.attachment.status",
    "network-interface.attachment.attach-time", "network-interface.attachment.delete-on-termination",
    "network-interface.availability-zone", "network-interface.description", "network-interface.group-name",
    "network-interface.ipv6-addresses.ipv6-address", "network-interface.mac-address",
    "network-interface.network-interface-id", "network-interface.owner-id", "network-interface.private-dns-name",
    "network-interface.requester-id", "network-interface.requester-managed", "network-interface.status",
    "network-interface.source-dest-check", "outpost-arn", "placement-partition-number", "platform",
    "private-dns-name", "private-ip-address", "product-code", "product-code.type", "ramdisk-id", "root-device-name",
    "root-device-type", "source-dest-check", "spot-instance-request-id", "virtualization-type"};

struct Listed {
  state::Ec2Instance row;
  InstanceBody body;
};

std::vector<std::string> group_values(const Instance& shape, bool names) {
  std::vector<std::string> values;
  for (const auto& group : shape.SecurityGroups.value_or(std::vector<GroupIdentifier>())) {
    values.push_back(names ? group.GroupName.value_or("") : group.GroupId.value_or(""));
  }
  return values;
}

std::vector<std::string> row_values(const Listed& one, std::string_view name) {
  if (name == "availability-zone") return {one.row.zone};
  if (name == "instance-id") return {one.row.id};
  if (name == "instance-type") return {one.row.type};
  if (name == "instance-state-code") return {std::to_string(static_cast<int>(one.row.state))};
  if (name == "instance-state-name") return {std::string(text(one.row.state))};
  if (name == "launch-time") return {wire::to_iso8601(std::chrono::floor<std::chrono::seconds>(one.row.launched_at), true)};
  if (name == "owner-id") return {one.row.account};
  if (name == "requester-id") return {one.body.requester};
  if (name == "reservation-id") return {one.body.reservation};
  return {};
}

std::vector<std::string> shape_values(const Instance& shape, std::string_view name) {
  if (name == "architecture") return as_values(shape.Architecture);
  if (name == "availability-zone-id") return as_values(shape.Placement->AvailabilityZoneId);
  if (name == "client-token") return as_values(shape.ClientToken);
  if (name == "ebs-optimized") return as_values(shape.EbsOptimized);
  if (name == "image-id") return as_values(shape.ImageId);
  if (name == "key-name") return as_values(shape.KeyName);
  if (name == "launch-index") return {std::to_string(shape.AmiLaunchIndex.value_or(0))};
  if (name == "monitoring-state") return as_values(shape.Monitoring->State);
  if (name == "placement-group-name") return as_values(shape.Placement->GroupName);
  if (name == "reason") return as_values(shape.StateTransitionReason);
  if (name == "tenancy") return as_values(shape.Placement->Tenancy);
  if (name == "iam-instance-profile.arn") {
    return shape.IamInstanceProfile ? as_values(shape.IamInstanceProfile->Arn) : std::vector<std::string>();
  }
  if (name.starts_with("metadata-options.") && shape.MetadataOptions) {
    const InstanceMetadataOptionsResponse& options = *shape.MetadataOptions;
    if (name.ends_with("http-endpoint")) return as_values(options.HttpEndpoint);
    if (name.ends_with("http-tokens")) return as_values(options.HttpTokens);
    return {std::to_string(options.HttpPutResponseHopLimit.value_or(1))};
  }
  const StateReason reason = shape.StateReason.value_or(StateReason());
  if (name == "state-reason-code") return as_values(reason.Code);
  if (name == "state-reason-message") return as_values(reason.Message);
  if (name == "group-id" || name == "instance.group-id" || name == "network-interface.group-id") {
    return group_values(shape, false);
  }
  if (name == "group-name" || name == "instance.group-name") return group_values(shape, true);
  if (name == "subnet-id" || name == "network-interface.subnet-id") return as_values(shape.SubnetId);
  if (name == "hypervisor") return {"xen"};
  if (name == "source-dest-check") return {"true"};
  if (name == "virtualization-type") return {"hvm"};
  if (name == "hibernation-options.configured") return {"false"};
  if (name == "vpc-id" || name == "network-interface.vpc-id") return as_values(shape.VpcId);
  return {};
}

// Those that the request names, or all, sorted by id.
std::vector<state::Ec2Instance> requested_instances(Call& call, const std::optional<std::vector<std::string>>& ids) {
  if (ids) return get_instances(call, *ids);
  return state::list_ec2_instances(
      call.tx, {.account = call.caller.account, .region = call.caller.region, .most = kMaxListedInstances});
}

// Instances in the order of their ids, in the reservations that launched them.
std::vector<Reservation> by_reservation(Call& call, const std::vector<Listed>& listed,
                                        std::map<std::string, Tags>& tags) {
  std::vector<Reservation> reservations;
  std::map<std::string, std::size_t> places;
  for (const Listed& one : listed) {
    const auto [place, is_new] = places.emplace(one.body.reservation, reservations.size());
    if (is_new) {
      Reservation& reservation = reservations.emplace_back();
      reservation.ReservationId = one.body.reservation;
      reservation.OwnerId = call.caller.account;
      if (!one.body.requester.empty()) reservation.RequesterId = one.body.requester;
      reservation.Groups.emplace();
      reservation.Instances.emplace();
    }
    reservations[place->second].Instances->push_back(shown_instance(one.row, one.body, tags[one.row.id]));
  }
  return reservations;
}

DescribeInstancesResult describe_instances(Call& call, const DescribeInstancesRequest& request) {
  check_filters(request.Filters, kInstanceFilters);
  if (request.InstanceIds && request.MaxResults) {
    throw invalid_combination("The parameter instancesSet cannot be used with the parameter maxResults");
  }
  Page page = read_list_page(request.MaxResults, request.NextToken);
  if (!request.MaxResults) page.size = kMaxListedInstances;  // EC2 returns all, unless a page is requested
  auto rows = requested_instances(call, request.InstanceIds);
  check_dry_run(request.DryRun);
  auto tags = tags_of_type(call, "instance");
  std::vector<Listed> listed;
  for (auto& row : rows) {
    Listed one{std::move(row), {}};
    one.body = body_of(one.row);
    const Instance shape = shown_instance(one.row, one.body, {});
    const auto values = [&](std::string_view name) {
      auto found = row_values(one, name);
      return found.empty() ? shape_values(shape, name) : found;
    };
    if (passes(request.Filters, tags[one.row.id], values)) listed.push_back(std::move(one));
  }
  DescribeInstancesResult result;
  result.NextToken = cut_list(listed, page, [](const Listed& one) { return one.row.id; });
  result.Reservations = by_reservation(call, listed, tags);
  return result;
}

}  // namespace

std::vector<Operation> instance_list_operations() {
  return {operation<&describe_instances>("DescribeInstances", Access::Read)};
}

}  // namespace services::ec2
