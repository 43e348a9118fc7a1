// SPDX-License-Identifier: Apache-2.0
// Route tables as records.
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

constexpr std::size_t kMaxRoutes = 1000, kMaxTables = 1000;
constexpr std::string_view kRouteFilters[] = {"association.main",           "association.route-table-association-id",
                                              "association.route-table-id", "association.subnet-id",
                                              "owner-id",                   "route-table-id",
                                              "route.destination-cidr-block", "route.gateway-id",
                                              "vpc-id"};

std::vector<std::string> association_values(const RouteTable& table, std::string_view name) {
  std::vector<std::string> values;
  for (const RouteTableAssociation& one : *table.Associations) {
    if (name == "association.main") values.push_back(one.Main.value_or(false) ? "true" : "false");
    if (name == "association.route-table-association-id") values.push_back(*one.RouteTableAssociationId);
    if (name == "association.route-table-id") values.push_back(*one.RouteTableId);
    if (name == "association.subnet-id" && one.SubnetId) values.push_back(*one.SubnetId);
  }
  return values;
}

std::vector<std::string> table_values(const RouteTable& table, std::string_view name) {
  if (name.starts_with("association.")) return association_values(table, name);
  if (name == "owner-id") return as_values(table.OwnerId);
  if (name == "route-table-id") return as_values(table.RouteTableId);
  if (name == "vpc-id") return as_values(table.VpcId);
  std::vector<std::string> values;
  for (const Route& route : *table.Routes) {
    values.push_back(name == "route.gateway-id" ? route.GatewayId.value_or("") : route.DestinationCidrBlock.value_or(""));
  }
  return values;
}

const ListRules<RouteTable> kTableRules{kRouteTables,     &RouteTable::RouteTableId, "InvalidRouteTableID.NotFound",
                                        "routeTable ID",  kRouteFilters,             &table_values};

RouteTable get_table(Call& call, const std::string& id) {
  auto table = find_record<RouteTable>(call, kRouteTables, id);
  if (!table) throw id_not_found("InvalidRouteTableID.NotFound", "routeTable ID", id);
  return *table;
}

CreateRouteTableResult create_route_table(Call& call, const CreateRouteTableRequest& request) {
  CreateRouteTableResult result;
  std::string id = make_id("rtb");
  if (request.ClientToken) {
    // A repeated request has the same id, and so the same answer.
    id = derive_id("rtb", call.caller.account + "/" + call.caller.region + "/" + *request.ClientToken);
    result.ClientToken = request.ClientToken;
    result.RouteTable = find_record<RouteTable>(call, kRouteTables, id);
    if (result.RouteTable) return result;
  }
  const Vpc vpc = get_vpc(call, request.VpcId);
  const Tags tags = requested_tags(call, request.TagSpecifications, kRouteTables);
  if (list_record_rows(call, kRouteTables).size() >= kMaxTables) {
    throw ApiError("RouteTableLimitExceeded", "The maximum number of route tables has been reached.");
  }
  check_dry_run(request.DryRun);
  RouteTable table = main_route_table(call.caller.account, id, request.VpcId, *vpc.CidrBlock);
  table.Associations->clear();
  put_record(call, kRouteTables, *table.RouteTableId, table);
  put_tags(call, *table.RouteTableId, kRouteTables, tags);
  if (!tags.empty()) table.Tags = shown_tags(tags);
  result.RouteTable = std::move(table);
  return result;
}

DescribeRouteTablesResult describe_route_tables(Call& call, const DescribeRouteTablesRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  auto tables = select_records(call, list_records<RouteTable>(call, kRouteTables), kTableRules,
                               {request.RouteTableIds, request.Filters, request.DryRun});
  DescribeRouteTablesResult result;
  result.NextToken = cut_list(tables, page, [](const RouteTable& one) { return *one.RouteTableId; });
  result.RouteTables = std::move(tables);
  return result;
}

void delete_route_table(Call& call, const DeleteRouteTableRequest& request) {
  if (!get_table(call, request.RouteTableId).Associations->empty()) {
    throw ApiError("DependencyViolation",
                   "The routeTable '" + request.RouteTableId + "' has dependencies and cannot be deleted.");
  }
  check_dry_run(request.DryRun);
  delete_record(call, kRouteTables, request.RouteTableId);
}

CreateRouteResult create_route(Call& call, const CreateRouteRequest& request) {
  reject_members(request, {"DestinationPrefixListId", "VpcEndpointId", "TransitGatewayId", "LocalGatewayId",
                           "CarrierGatewayId", "CoreNetworkArn", "OdbNetworkArn", "DestinationIpv6CidrBlock",
                           "EgressOnlyInternetGatewayId", "InstanceId", "NetworkInterfaceId", "VpcPeeringConnectionId",
                           "NatGatewayId"});
  RouteTable table = get_table(call, request.RouteTableId);
  if (!request.DestinationCidrBlock) throw missing_parameter("destinationCidrBlock");
  if (!parse_cidr(*request.DestinationCidrBlock)) {
    throw invalid_value("Value (" + *request.DestinationCidrBlock + ") for parameter destinationCidrBlock is invalid. "
                        "This is not a valid CIDR block.");
  }
  if (!request.GatewayId) throw missing_parameter("gatewayId");
  if (!find_record_row(call, kInternetGateways, *request.GatewayId)) {
    throw id_not_found("InvalidInternetGatewayID.NotFound", "internetGateway ID", *request.GatewayId);
  }
  for (const Route& route : *table.Routes) {
    if (route.DestinationCidrBlock == request.DestinationCidrBlock) {
      throw ApiError("RouteAlreadyExists",
                     "The route identified by " + *request.DestinationCidrBlock + " already exists.");
    }
  }
  if (table.Routes->size() >= kMaxRoutes) throw ApiError("RouteLimitExceeded", "The route table has too many routes.");
  check_dry_run(request.DryRun);
  Route& route = table.Routes->emplace_back();
  route.DestinationCidrBlock = request.DestinationCidrBlock;
  route.GatewayId = request.GatewayId;
  route.Origin = "CreateRoute";
  route.State = "active";
  put_record(call, kRouteTables, request.RouteTableId, table);
  CreateRouteResult result;
  result.Return = true;
  return result;
}

void delete_route(Call& call, const DeleteRouteRequest& request) {
  reject_members(request, {"DestinationPrefixListId", "DestinationIpv6CidrBlock"});
  RouteTable table = get_table(call, request.RouteTableId);
  const std::string destination = request.DestinationCidrBlock.value_or("");
  const auto removed = std::erase_if(*table.Routes, [&](const Route& route) {
    return route.DestinationCidrBlock == destination && route.GatewayId != "local";
  });
  if (removed == 0) {
    throw ApiError("InvalidRoute.NotFound", "no route with destination-cidr-block " + destination + " in route table " +
                                                request.RouteTableId);
  }
  check_dry_run(request.DryRun);
  put_record(call, kRouteTables, request.RouteTableId, table);
}

AssociateRouteTableResult associate_route_table(Call& call, const AssociateRouteTableRequest& request) {
  reject_members(request, {"GatewayId", "PublicIpv4Pool"});
  RouteTable table = get_table(call, request.RouteTableId);
  if (!request.SubnetId) throw missing_parameter("subnetId");
  get_subnet(call, *request.SubnetId);
  for (const RouteTable& other : list_records<RouteTable>(call, kRouteTables)) {
    for (const RouteTableAssociation& one : *other.Associations) {
      if (one.SubnetId != *request.SubnetId) continue;
      throw ApiError("Resource.AlreadyAssociated", "the specified association for route table " + *other.RouteTableId +
                                                       " conflicts with an existing association");
    }
  }
  check_dry_run(request.DryRun);
  RouteTableAssociation& made = table.Associations->emplace_back();
  made.Main = false;
  made.RouteTableAssociationId = make_id("rtbassoc");
  made.RouteTableId = request.RouteTableId;
  made.SubnetId = request.SubnetId;
  made.AssociationState.emplace();
  made.AssociationState->State = "associated";
  AssociateRouteTableResult result;
  result.AssociationId = made.RouteTableAssociationId;
  result.AssociationState = made.AssociationState;
  put_record(call, kRouteTables, request.RouteTableId, table);
  return result;
}

void disassociate_route_table(Call& call, const DisassociateRouteTableRequest& request) {
  for (RouteTable& table : list_records<RouteTable>(call, kRouteTables)) {
    const auto removed = std::erase_if(*table.Associations, [&](const RouteTableAssociation& one) {
      return one.RouteTableAssociationId == request.AssociationId && !one.Main.value_or(false);
    });
    if (removed == 0) continue;
    check_dry_run(request.DryRun);
    put_record(call, kRouteTables, *table.RouteTableId, table);
    return;
  }
  throw id_not_found("InvalidAssociationID.NotFound", "association ID", request.AssociationId);
}

}  // namespace

std::vector<Operation> route_table_operations() {
  return {operation<&create_route_table>("CreateRouteTable", Access::Write),
          operation<&describe_route_tables>("DescribeRouteTables", Access::Read),
          operation<&delete_route_table>("DeleteRouteTable", Access::Write),
          operation<&create_route>("CreateRoute", Access::Write),
          operation<&delete_route>("DeleteRoute", Access::Write),
          operation<&associate_route_table>("AssociateRouteTable", Access::Write),
          operation<&disassociate_route_table>("DisassociateRouteTable", Access::Write)};
}

}  // namespace services::ec2
