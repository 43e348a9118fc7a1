// SPDX-License-Identifier: Apache-2.0
// Route tables as records.
#include <algorithm>

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
                                        "routeTable ID",  kRouteFilters,             &table_values,             true};

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
  table.Tags = shown_tags(tags);
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

// The destination in its canonical form.
template <class Request>
std::string check_route(Call& call, const Request& request, const RouteTable& table) {
  reject_members(request, {"DestinationPrefixListId", "VpcEndpointId", "TransitGatewayId", "LocalGatewayId",
                           "CarrierGatewayId", "CoreNetworkArn", "OdbNetworkArn", "DestinationIpv6CidrBlock",
                           "EgressOnlyInternetGatewayId", "InstanceId", "NetworkInterfaceId", "VpcPeeringConnectionId",
                           "NatGatewayId", "LocalTarget"});
  if (!request.DestinationCidrBlock) throw missing_parameter("destinationCidrBlock");
  const auto block = parse_cidr(*request.DestinationCidrBlock);
  if (!block) {
    throw invalid_value("Value (" + *request.DestinationCidrBlock + ") for parameter destinationCidrBlock is invalid. "
                        "This is not a valid CIDR block.");
  }
  if (!request.GatewayId) throw missing_parameter("gatewayId");
  const auto gateway = find_record<InternetGateway>(call, kInternetGateways, *request.GatewayId);
  if (!gateway) throw id_not_found("InvalidInternetGatewayID.NotFound", "internetGateway ID", *request.GatewayId);
  const bool attached = std::ranges::any_of(
      *gateway->Attachments, [&](const InternetGatewayAttachment& one) { return one.VpcId == table.VpcId; });
  if (!attached) {
    throw invalid_value("route table " + request.RouteTableId + " and network gateway " + *request.GatewayId +
                        " belong to different networks");
  }
  return block->str();
}

std::vector<Route>::iterator find_route(RouteTable& table, const std::string& destination) {
  return std::ranges::find_if(*table.Routes,
                              [&](const Route& route) { return route.DestinationCidrBlock == destination; });
}

CreateRouteResult create_route(Call& call, const CreateRouteRequest& request) {
  RouteTable table = get_table(call, request.RouteTableId);
  const std::string destination = check_route(call, request, table);
  if (find_route(table, destination) != table.Routes->end()) {
    throw ApiError("RouteAlreadyExists", "The route identified by " + destination + " already exists.");
  }
  if (table.Routes->size() >= kMaxRoutes) throw ApiError("RouteLimitExceeded", "The route table has too many routes.");
  check_dry_run(request.DryRun);
  Route& route = table.Routes->emplace_back();
  route.DestinationCidrBlock = destination;
  route.GatewayId = request.GatewayId;
  route.Origin = "CreateRoute";
  route.State = "active";
  put_record(call, kRouteTables, request.RouteTableId, table);
  CreateRouteResult result;
  result.Return = true;
  return result;
}

void replace_route(Call& call, const ReplaceRouteRequest& request) {
  RouteTable table = get_table(call, request.RouteTableId);
  const std::string destination = check_route(call, request, table);
  const auto route = find_route(table, destination);
  if (route == table.Routes->end() || route->GatewayId == "local") {
    throw invalid_value("There is no route defined for '" + destination +
                        "' in the route table. Use CreateRoute instead.");
  }
  check_dry_run(request.DryRun);
  route->GatewayId = request.GatewayId;
  put_record(call, kRouteTables, request.RouteTableId, table);
}

void delete_route(Call& call, const DeleteRouteRequest& request) {
  reject_members(request, {"DestinationPrefixListId", "DestinationIpv6CidrBlock"});
  RouteTable table = get_table(call, request.RouteTableId);
  const auto block = parse_cidr(request.DestinationCidrBlock.value_or(""));
  const std::string destination = block ? block->str() : request.DestinationCidrBlock.value_or("");
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

RouteTableAssociation& add_association(RouteTable& table, bool main, const std::optional<std::string>& subnet) {
  RouteTableAssociation& made = table.Associations->emplace_back();
  made.Main = main;
  made.RouteTableAssociationId = make_id("rtbassoc");
  made.RouteTableId = table.RouteTableId;
  made.SubnetId = subnet;
  made.AssociationState.emplace();
  made.AssociationState->State = "associated";
  return made;
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
  const RouteTableAssociation& made = add_association(table, false, request.SubnetId);
  AssociateRouteTableResult result;
  result.AssociationId = made.RouteTableAssociationId;
  result.AssociationState = made.AssociationState;
  put_record(call, kRouteTables, request.RouteTableId, table);
  return result;
}

// The table of an association.
RouteTable find_associated(Call& call, const std::string& association) {
  for (RouteTable& table : list_records<RouteTable>(call, kRouteTables)) {
    for (const RouteTableAssociation& one : *table.Associations) {
      if (one.RouteTableAssociationId == association) return table;
    }
  }
  throw id_not_found("InvalidAssociationID.NotFound", "association ID", association);
}

// Takes it out of its table, and stores that.
RouteTableAssociation take_association(Call& call, RouteTable table, const std::string& id) {
  const auto found = std::ranges::find_if(
      *table.Associations, [&](const RouteTableAssociation& one) { return one.RouteTableAssociationId == id; });
  RouteTableAssociation taken = *found;
  table.Associations->erase(found);
  put_record(call, kRouteTables, *table.RouteTableId, table);
  return taken;
}

// Also makes another table the main one.
ReplaceRouteTableAssociationResult replace_association(Call& call, const ReplaceRouteTableAssociationRequest& request) {
  const RouteTable former = find_associated(call, request.AssociationId);
  if (get_table(call, request.RouteTableId).VpcId != former.VpcId) {
    throw invalid_value("route table " + request.RouteTableId + " and the association " + request.AssociationId +
                        " belong to different networks");
  }
  check_dry_run(request.DryRun);
  const RouteTableAssociation taken = take_association(call, former, request.AssociationId);
  RouteTable table = get_table(call, request.RouteTableId);
  const RouteTableAssociation& made = add_association(table, taken.Main.value_or(false), taken.SubnetId);
  ReplaceRouteTableAssociationResult result;
  result.NewAssociationId = made.RouteTableAssociationId;
  result.AssociationState = made.AssociationState;
  put_record(call, kRouteTables, request.RouteTableId, table);
  return result;
}

void disassociate_route_table(Call& call, const DisassociateRouteTableRequest& request) {
  const RouteTable table = find_associated(call, request.AssociationId);
  for (const RouteTableAssociation& one : *table.Associations) {
    if (one.RouteTableAssociationId != request.AssociationId || !one.Main.value_or(false)) continue;
    throw invalid_value("cannot disassociate the main route table association " + request.AssociationId);
  }
  check_dry_run(request.DryRun);
  take_association(call, table, request.AssociationId);
}

}  // namespace

std::vector<Operation> route_table_operations() {
  return {operation<&create_route_table>("CreateRouteTable", Access::Write),
          operation<&describe_route_tables>("DescribeRouteTables", Access::Read),
          operation<&delete_route_table>("DeleteRouteTable", Access::Write),
          operation<&create_route>("CreateRoute", Access::Write),
          operation<&replace_route>("ReplaceRoute", Access::Write),
          operation<&delete_route>("DeleteRoute", Access::Write),
          operation<&associate_route_table>("AssociateRouteTable", Access::Write),
          operation<&replace_association>("ReplaceRouteTableAssociation", Access::Write),
          operation<&disassociate_route_table>("DisassociateRouteTable", Access::Write)};
}

}  // namespace services::ec2
