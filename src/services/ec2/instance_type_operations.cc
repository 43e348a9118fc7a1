// SPDX-License-Identifier: Apache-2.0
// DescribeInstanceTypes and DescribeInstanceTypeOfferings, from the catalogue.
#include <algorithm>
#include <iterator>

#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/operations.h"
#include "services/ec2/zones.h"
#include "shapes/ec2/instance_type.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::int32_t kMaxTypePage = 100;
constexpr std::size_t kMaxTypeNames = 100;
constexpr std::string_view kTypeFilters[] = {"bare-metal",
                                             "current-generation",
                                             "instance-type",
                                             "memory-info.size-in-mib",
                                             "processor-info.supported-architecture",
                                             "supported-usage-class",
                                             "vcpu-info.default-vcpus"};
constexpr std::string_view kOfferingFilters[] = {"location", "instance-type"};

std::string manufacturer_of(const std::string& gpu_model) {
  return gpu_model.starts_with("Radeon") || gpu_model.starts_with("MI") ? "AMD" : "NVIDIA";
}

GpuInfo shown_gpus(const model::InstanceType& type) {
  GpuInfo info;
  GpuDeviceInfo device;
  device.Name = type.gpu_model;
  device.Manufacturer = manufacturer_of(type.gpu_model);
  device.Count = type.gpus;
  device.MemoryInfo.emplace();
  device.MemoryInfo->SizeInMiB = static_cast<std::int32_t>(type.gpu_memory_mib);
  info.Gpus = {{device}};
  info.TotalGpuMemoryInMiB = static_cast<std::int32_t>(type.gpu_memory_mib * type.gpus);
  return info;
}

// Families that Amazon calls previous generations.
bool is_current_generation(const std::string& type) {
  constexpr std::string_view kPrevious[] = {"t1", "m1", "m2", "m3", "c1", "c3", "r3", "p2", "g3", "g3s"};
  const std::string_view family = std::string_view(type).substr(0, type.find('.'));
  return std::find(std::begin(kPrevious), std::end(kPrevious), family) == std::end(kPrevious);
}

InstanceTypeInfo shown_type(const model::InstanceType& type) {
  InstanceTypeInfo info;
  info.InstanceType = type.name;
  info.CurrentGeneration = is_current_generation(type.name);
  info.FreeTierEligible = false;
  info.SupportedUsageClasses = {{"on-demand"}};
  info.BareMetal = type.name.find(".metal") != type.name.npos;
  info.ProcessorInfo.emplace();
  info.ProcessorInfo->SupportedArchitectures = {{architecture_of(type.name)}};
  info.VCpuInfo.emplace();
  info.VCpuInfo->DefaultVCpus = type.vcpus;
  info.MemoryInfo.emplace();
  info.MemoryInfo->SizeInMiB = type.memory_mib;
  info.HibernationSupported = false;
  info.DedicatedHostsSupported = false;
  info.InstanceStorageSupported = false;
  if (type.gpus > 0) info.GpuInfo = shown_gpus(type);
  return info;
}

std::vector<std::string> type_values(const InstanceTypeInfo& info, std::string_view name) {
  if (name == "bare-metal") return as_values(info.BareMetal);
  if (name == "current-generation") return as_values(info.CurrentGeneration);
  if (name == "instance-type") return as_values(info.InstanceType);
  if (name == "memory-info.size-in-mib") return {std::to_string(*info.MemoryInfo->SizeInMiB)};
  if (name == "processor-info.supported-architecture") return *info.ProcessorInfo->SupportedArchitectures;
  if (name == "supported-usage-class") return *info.SupportedUsageClasses;
  return {std::to_string(*info.VCpuInfo->DefaultVCpus)};
}

wire::ApiError unknown_types(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return wire::ApiError("InvalidInstanceType", "The following supplied instance types do not exist: [" + list + "]");
}

std::vector<InstanceTypeInfo> requested_types(Call& call, const DescribeInstanceTypesRequest& request) {
  const model::InstanceTypes& all = call.local<InstanceTypeCatalogue>().types;
  std::vector<InstanceTypeInfo> types;
  if (!request.InstanceTypes) {
    for (const auto& [name, type] : all) types.push_back(shown_type(type));
    return types;
  }
  if (request.InstanceTypes->size() > kMaxTypeNames) throw invalid_value("A request may name at most 100 instance types.");
  std::vector<std::string> unknown;
  for (const std::string& name : *request.InstanceTypes) {
    const auto* type = model::find_instance_type(all, name);
    type ? types.push_back(shown_type(*type)) : unknown.push_back(name);
  }
  if (!unknown.empty()) throw unknown_types(unknown);
  return types;
}

DescribeInstanceTypesResult describe_instance_types(Call& call, const DescribeInstanceTypesRequest& request) {
  check_filters(request.Filters, kTypeFilters);
  if (request.InstanceTypes && request.MaxResults) {
    throw invalid_combination("The parameter InstanceTypes cannot be used with the parameter MaxResults");
  }
  const Page page = read_list_page(request.MaxResults, request.NextToken, kMaxTypePage);
  auto types = requested_types(call, request);
  check_dry_run(request.DryRun);
  std::erase_if(types, [&](const InstanceTypeInfo& info) {
    return !passes(request.Filters, {}, [&](std::string_view name) { return type_values(info, name); });
  });
  DescribeInstanceTypesResult result;
  result.NextToken = cut_list(types, page, [](const InstanceTypeInfo& info) { return *info.InstanceType; });
  result.InstanceTypes = std::move(types);
  return result;
}

std::vector<std::string> locations_of(const std::string& region, const std::string& kind) {
  if (kind == "region") return {region};
  auto zones = zones_of(region);
  if (kind == "availability-zone") return zones;
  if (kind != "availability-zone-id") throw unsupported_parameter("LocationType with the value " + kind);
  for (std::string& zone : zones) zone = zone_id(zone);
  return zones;
}

DescribeInstanceTypeOfferingsResult describe_instance_type_offerings(
    Call& call, const DescribeInstanceTypeOfferingsRequest& request) {
  check_filters(request.Filters, kOfferingFilters);
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  check_dry_run(request.DryRun);
  const std::string kind = request.LocationType.value_or("region");
  std::vector<InstanceTypeOffering> offerings;
  for (const auto& [name, type] : call.local<InstanceTypeCatalogue>().types) {
    for (const std::string& location : locations_of(call.caller.region, kind)) {
      const auto values = [&](std::string_view filter) {
        return std::vector<std::string>{filter == "location" ? location : name};
      };
      if (passes(request.Filters, {}, values)) offerings.push_back({name, kind, location});
    }
  }
  DescribeInstanceTypeOfferingsResult result;
  result.NextToken = cut_list(offerings, page, [](const InstanceTypeOffering& one) {
    return *one.InstanceType + "/" + *one.Location;
  });
  result.InstanceTypeOfferings = std::move(offerings);
  return result;
}

}  // namespace

std::vector<Operation> instance_type_operations() {
  return {operation<&describe_instance_types>("DescribeInstanceTypes", Access::Read),
          operation<&describe_instance_type_offerings>("DescribeInstanceTypeOfferings", Access::Read)};
}

}  // namespace services::ec2
