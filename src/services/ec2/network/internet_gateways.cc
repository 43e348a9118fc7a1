// SPDX-License-Identifier: Apache-2.0
// Internet gateways as records.
#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/network/record_list.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxGateways = 1000;
constexpr std::string_view kGatewayFilters[] = {"attachment.state", "attachment.vpc-id", "internet-gateway-id",
                                                "owner-id"};

std::vector<std::string> gateway_values(const InternetGateway& gateway, std::string_view name) {
  if (name == "internet-gateway-id") return as_values(gateway.InternetGatewayId);
  if (name == "owner-id") return as_values(gateway.OwnerId);
  std::vector<std::string> values;
  for (const InternetGatewayAttachment& one : *gateway.Attachments) {
    values.push_back(name == "attachment.state" ? one.State.value_or("") : one.VpcId.value_or(""));
  }
  return values;
}

const ListRules<InternetGateway> kGatewayRules{
    kInternetGateways,    &InternetGateway::InternetGatewayId, "InvalidInternetGatewayID.NotFound",
    "internetGateway ID", kGatewayFilters,                     &gateway_values, true};

InternetGateway get_gateway(Call& call, const std::string& id) {
  auto gateway = find_record<InternetGateway>(call, kInternetGateways, id);
  if (!gateway) throw id_not_found("InvalidInternetGatewayID.NotFound", "internetGateway ID", id);
  return *gateway;
}

CreateInternetGatewayResult create_internet_gateway(Call& call, const CreateInternetGatewayRequest& request) {
  const Tags tags = requested_tags(call, request.TagSpecifications, kInternetGateways);
  if (list_record_rows(call, kInternetGateways).size() >= kMaxGateways) {
    throw ApiError("InternetGatewayLimitExceeded", "The maximum number of internet gateways has been reached.");
  }
  check_dry_run(request.DryRun);
  InternetGateway gateway;
  gateway.InternetGatewayId = make_id("igw");
  gateway.OwnerId = call.caller.account;
  gateway.Attachments.emplace();
  put_record(call, kInternetGateways, *gateway.InternetGatewayId, gateway);
  put_tags(call, *gateway.InternetGatewayId, kInternetGateways, tags);
  gateway.Tags = shown_tags(tags);
  CreateInternetGatewayResult result;
  result.InternetGateway = std::move(gateway);
  return result;
}

DescribeInternetGatewaysResult describe_internet_gateways(Call& call, const DescribeInternetGatewaysRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  auto gateways = select_records(call, list_records<InternetGateway>(call, kInternetGateways), kGatewayRules,
                                 {request.InternetGatewayIds, request.Filters, request.DryRun});
  DescribeInternetGatewaysResult result;
  result.NextToken = cut_list(gateways, page, [](const InternetGateway& one) { return *one.InternetGatewayId; });
  result.InternetGateways = std::move(gateways);
  return result;
}

void delete_internet_gateway(Call& call, const DeleteInternetGatewayRequest& request) {
  if (!get_gateway(call, request.InternetGatewayId).Attachments->empty()) {
    throw ApiError("DependencyViolation",
                   "The internetGateway '" + request.InternetGatewayId + "' has dependencies and cannot be deleted.");
  }
  check_dry_run(request.DryRun);
  delete_record(call, kInternetGateways, request.InternetGatewayId);
}

void attach_internet_gateway(Call& call, const AttachInternetGatewayRequest& request) {
  InternetGateway gateway = get_gateway(call, request.InternetGatewayId);
  get_vpc(call, request.VpcId);
  if (!gateway.Attachments->empty()) {
    throw ApiError("Resource.AlreadyAssociated", "resource " + request.InternetGatewayId +
                                                     " is already attached to network " +
                                                     gateway.Attachments->front().VpcId.value_or(""));
  }
  for (const InternetGateway& other : list_records<InternetGateway>(call, kInternetGateways)) {
    for (const InternetGatewayAttachment& one : *other.Attachments) {
      if (one.VpcId == request.VpcId) {
        throw invalid_value("Network " + request.VpcId + " already has an internet gateway attached");
      }
    }
  }
  check_dry_run(request.DryRun);
  gateway.Attachments->push_back({"available", request.VpcId});
  put_record(call, kInternetGateways, request.InternetGatewayId, gateway);
}

void detach_internet_gateway(Call& call, const DetachInternetGatewayRequest& request) {
  InternetGateway gateway = get_gateway(call, request.InternetGatewayId);
  const auto removed = std::erase_if(*gateway.Attachments, [&](const InternetGatewayAttachment& one) {
    return one.VpcId == request.VpcId;
  });
  if (removed == 0) {
    throw ApiError("Gateway.NotAttached", "resource " + request.InternetGatewayId + " is not attached to network " +
                                              request.VpcId);
  }
  check_dry_run(request.DryRun);
  put_record(call, kInternetGateways, request.InternetGatewayId, gateway);
}

}  // namespace

std::vector<Operation> internet_gateway_operations() {
  return {operation<&create_internet_gateway>("CreateInternetGateway", Access::Write),
          operation<&describe_internet_gateways>("DescribeInternetGateways", Access::Read),
          operation<&delete_internet_gateway>("DeleteInternetGateway", Access::Write),
          operation<&attach_internet_gateway>("AttachInternetGateway", Access::Write),
          operation<&detach_internet_gateway>("DetachInternetGateway", Access::Write)};
}

}  // namespace services::ec2
