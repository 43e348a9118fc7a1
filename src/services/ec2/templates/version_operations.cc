// SPDX-License-Identifier: Apache-2.0
// Versions of launch templates.
#include <charconv>

#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/operations.h"
#include "services/ec2/templates/template_data.h"
#include "services/ec2/templates/template_row.h"
#include "services/ec2/templates/template_view.h"
#include "services/shape_json.h"
#include "wire/timestamp.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::int64_t kMaxVersions = 10000;    // Amazon's quota of a template
constexpr std::size_t kMaxVersionsAtOnce = 200;  // deletions in a request
constexpr std::int32_t kMaxVersionPage = 200;
constexpr std::size_t kMaxTemplatesLooked = 5000;
constexpr std::string_view kVersionFilters[] = {"create-time",  "ebs-optimized", "iam-instance-profile", "image-id",
                                                "instance-type", "is-default-version", "kernel-id",      "ram-disk-id"};

CreateLaunchTemplateVersionResult create_launch_template_version(Call& call,
                                                                 const CreateLaunchTemplateVersionRequest& request) {
  if (request.ResolveAlias.value_or(false)) throw unsupported_parameter("ResolveAlias");
  TemplateRow row = get_template(call, request.LaunchTemplateId, request.LaunchTemplateName);
  check_template_data(call, request.LaunchTemplateData);
  std::string data = to_json(request.LaunchTemplateData);
  if (request.SourceVersion) {
    data = merge_settings(get_template_version(call, row, *request.SourceVersion).data_json, data);
  }
  CreateLaunchTemplateVersionResult result;
  for (const TemplateVersionRow& earlier : list_template_versions(call, row.id)) {
    if (!request.ClientToken || earlier.client_token != *request.ClientToken) continue;
    if (earlier.data_json != data) {
      throw ApiError("IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent with "
                                                    "arguments used in previous request(s).");
    }
    result.LaunchTemplateVersion = shown_version(row, earlier);
    return result;
  }
  if (row.latest_version >= kMaxVersions) {
    throw ApiError("VersionLimitExceeded", "The maximum number of versions of a launch template has been reached.");
  }
  check_dry_run(request.DryRun);
  ++row.latest_version;
  update_template(call, row);
  const TemplateVersionRow version{.id = row.id,
                                   .version = row.latest_version,
                                   .description = request.VersionDescription.value_or(""),
                                   .data_json = std::move(data),
                                   .client_token = request.ClientToken.value_or(""),
                                   .created_by = call.caller.arn(),
                                   .created_at = call.now};
  insert_template_version(call, version);
  result.LaunchTemplateVersion = shown_version(row, version);
  return result;
}

std::vector<std::string> version_values(const LaunchTemplateVersion& version, std::string_view name) {
  const ResponseLaunchTemplateData& data = *version.LaunchTemplateData;
  if (name == "create-time") return {wire::to_iso8601(*version.CreateTime, true)};
  if (name == "ebs-optimized") return as_values(data.EbsOptimized);
  if (name == "image-id") return as_values(data.ImageId);
  if (name == "instance-type") return as_values(data.InstanceType);
  if (name == "is-default-version") return as_values(version.DefaultVersion);
  if (name == "iam-instance-profile" && data.IamInstanceProfile) return as_values(data.IamInstanceProfile->Arn);
  return {};
}

std::optional<std::int64_t> bound_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) {
    throw invalid_value("The launch template version '" + *text + "' is not valid.");
  }
  return number;
}

// The requested versions of one template, newest first.
std::vector<TemplateVersionRow> versions_of(Call& call, const TemplateRow& row,
                                            const DescribeLaunchTemplateVersionsRequest& request) {
  std::vector<TemplateVersionRow> rows;
  if (request.Versions) {
    for (const std::string& version : *request.Versions) rows.push_back(get_template_version(call, row, version));
    return rows;
  }
  const auto least = bound_of(request.MinVersion), most = bound_of(request.MaxVersion);
  rows = list_template_versions(call, row.id);
  std::erase_if(rows, [&](const TemplateVersionRow& one) {
    return (least && one.version < *least) || (most && one.version > *most);
  });
  return rows;
}

// Without a template: the latest or default versions of all templates.
std::vector<LaunchTemplateVersion> requested_versions(Call& call, const DescribeLaunchTemplateVersionsRequest& request) {
  std::vector<TemplateRow> templates;
  if (request.LaunchTemplateId || request.LaunchTemplateName) {
    templates.push_back(get_template(call, request.LaunchTemplateId, request.LaunchTemplateName));
  } else {
    const auto is_alias = [](const std::string& text) { return text == "$Latest" || text == "$Default"; };
    if (!request.Versions || !std::all_of(request.Versions->begin(), request.Versions->end(), is_alias)) {
      throw ApiError("MissingParameter",
                     "Either the launch template ID or launch template name must be specified in the request.");
    }
    templates = list_templates(call);
    templates.resize(std::min(templates.size(), kMaxTemplatesLooked));
  }
  std::vector<LaunchTemplateVersion> versions;
  for (const TemplateRow& row : templates) {
    for (const auto& version : versions_of(call, row, request)) versions.push_back(shown_version(row, version));
  }
  return versions;
}

// By template, the newest version first.
std::string version_key(const LaunchTemplateVersion& version) {
  std::string number = std::to_string(kMaxVersions - *version.VersionNumber);
  return *version.LaunchTemplateId + "/" + std::string(5 - std::min<std::size_t>(5, number.size()), '0') + number;
}

DescribeLaunchTemplateVersionsResult describe_launch_template_versions(
    Call& call, const DescribeLaunchTemplateVersionsRequest& request) {
  if (request.ResolveAlias.value_or(false)) throw unsupported_parameter("ResolveAlias");
  check_filters(request.Filters, kVersionFilters);
  const Page page = request.MaxResults && *request.MaxResults < 5
                        ? read_list_page(std::nullopt, request.NextToken, std::max(1, *request.MaxResults))
                        : read_list_page(request.MaxResults, request.NextToken, kMaxVersionPage);
  auto versions = requested_versions(call, request);
  check_dry_run(request.DryRun);
  std::erase_if(versions, [&](const LaunchTemplateVersion& one) {
    return !passes(request.Filters, {}, [&](std::string_view name) { return version_values(one, name); });
  });
  DescribeLaunchTemplateVersionsResult result;
  result.NextToken = cut_list(versions, page, version_key);
  result.LaunchTemplateVersions = std::move(versions);
  return result;
}

DeleteLaunchTemplateVersionsResponseErrorItem failed_deletion(const TemplateRow& row, std::int64_t version,
                                                              const std::string& code, const std::string& message) {
  DeleteLaunchTemplateVersionsResponseErrorItem item;
  item.LaunchTemplateId = row.id;
  item.LaunchTemplateName = row.name;
  item.VersionNumber = version;
  item.ResponseError = {code, message};
  return item;
}

DeleteLaunchTemplateVersionsResult delete_launch_template_versions(Call& call,
                                                                   const DeleteLaunchTemplateVersionsRequest& request) {
  const TemplateRow row = get_template(call, request.LaunchTemplateId, request.LaunchTemplateName);
  if (request.Versions.size() > kMaxVersionsAtOnce) {
    throw invalid_value("A request may name at most 200 launch template versions.");
  }
  check_dry_run(request.DryRun);
  DeleteLaunchTemplateVersionsResult result;
  result.SuccessfullyDeletedLaunchTemplateVersions.emplace();
  result.UnsuccessfullyDeletedLaunchTemplateVersions.emplace();
  for (const std::string& text : request.Versions) {
    const std::int64_t version = bound_of(text).value_or(0);
    if (version == row.default_version) {
      throw ApiError("InvalidLaunchTemplateId.VersionInUse", "The default version of a launch template cannot be "
                                                             "deleted. Make another version the default one first.");
    }
    if (!find_template_version(call, row.id, version)) {
      result.UnsuccessfullyDeletedLaunchTemplateVersions->push_back(
          failed_deletion(row, version, "launchTemplateVersionDoesNotExist",
                          "Could not find the specified version " + text + " for the launch template with ID " +
                              row.id + "."));
      continue;
    }
    delete_template_version(call, row.id, version);
    result.SuccessfullyDeletedLaunchTemplateVersions->push_back({row.id, row.name, version});
  }
  return result;
}

}  // namespace

LaunchTemplateVersion shown_version(const TemplateRow& row, const TemplateVersionRow& version) {
  LaunchTemplateVersion shape;
  shape.LaunchTemplateId = row.id;
  shape.LaunchTemplateName = row.name;
  shape.VersionNumber = version.version;
  if (!version.description.empty()) shape.VersionDescription = version.description;
  shape.CreateTime = std::chrono::floor<std::chrono::seconds>(version.created_at);
  shape.CreatedBy = version.created_by;
  shape.DefaultVersion = version.version == row.default_version;
  shape.LaunchTemplateData = from_json<ResponseLaunchTemplateData>(version.data_json);
  return shape;
}

std::vector<Operation> template_version_operations() {
  return {operation<&create_launch_template_version>("CreateLaunchTemplateVersion", Access::Write),
          operation<&describe_launch_template_versions>("DescribeLaunchTemplateVersions", Access::Read),
          operation<&delete_launch_template_versions>("DeleteLaunchTemplateVersions", Access::Write)};
}

}  // namespace services::ec2
