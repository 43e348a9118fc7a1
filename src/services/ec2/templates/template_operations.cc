// SPDX-License-Identifier: Apache-2.0
// Creating, listing, changing and deleting launch templates.
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/operations.h"
#include "services/ec2/resource_tags.h"
#include "services/ec2/templates/template_data.h"
#include "services/ec2/templates/template_row.h"
#include "services/ec2/templates/template_view.h"
#include "services/shape_json.h"
#include "wire/timestamp.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxTemplates = 5000;  // Amazon's quota of a region
constexpr std::size_t kLeastName = 3, kMostName = 128;
constexpr std::int32_t kMaxTemplatePage = 200;
constexpr std::string_view kTemplateType = "launch-template";
constexpr std::string_view kTemplateFilters[] = {"create-time", "launch-template-name"};

void check_template_name(const std::string& name) {
  const std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789().-/_";
  if (name.size() >= kLeastName && name.size() <= kMostName && name.find_first_not_of(allowed) == name.npos) return;
  throw ApiError("InvalidLaunchTemplateName.MalformedException",
                 "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and "
                 "the following characters: - ( ) . / _.");
}

// A repeated creation with the same token has the first one's answer.
bool is_repeated(Call& call, const CreateLaunchTemplateRequest& request, const TemplateRow& row) {
  if (!request.ClientToken || row.client_token != *request.ClientToken) return false;
  const auto first = find_template_version(call, row.id, 1);
  return first && first->data_json == to_json(request.LaunchTemplateData);
}

CreateLaunchTemplateResult create_launch_template(Call& call, const CreateLaunchTemplateRequest& request) {
  reject_members(request, {"Operator"});
  check_template_name(request.LaunchTemplateName);
  check_template_data(call, request.LaunchTemplateData);
  const Tags tags = requested_tags(call, request.TagSpecifications, kTemplateType);
  CreateLaunchTemplateResult result;
  if (const auto existing = find_template_by_name(call, request.LaunchTemplateName)) {
    if (!is_repeated(call, request, *existing)) {
      throw ApiError("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.");
    }
    result.LaunchTemplate = shown_template(*existing, tags_of(call, existing->id));
    return result;
  }
  if (list_templates(call).size() >= kMaxTemplates) {
    throw ApiError("LaunchTemplateLimitExceeded", "The maximum number of launch templates has been reached.");
  }
  check_dry_run(request.DryRun);
  TemplateRow row;
  row.id = make_id("lt");
  row.name = request.LaunchTemplateName;
  row.client_token = request.ClientToken.value_or("");
  row.created_by = call.caller.arn();
  row.created_at = call.now;
  insert_template(call, row);
  insert_template_version(call, {.id = row.id,
                                 .version = 1,
                                 .description = request.VersionDescription.value_or(""),
                                 .data_json = to_json(request.LaunchTemplateData),
                                 .created_by = row.created_by,
                                 .created_at = call.now});
  put_tags(call, row.id, kTemplateType, tags);
  result.LaunchTemplate = shown_template(row, tags);
  return result;
}

std::vector<std::string> template_values(const TemplateRow& row, std::string_view name) {
  if (name == "create-time") return {wire::to_iso8601(row.created_at, true)};
  return {row.name};
}

// Those that the request names; all if it names none.
std::vector<TemplateRow> requested_templates(Call& call, const DescribeLaunchTemplatesRequest& request) {
  if (!request.LaunchTemplateIds && !request.LaunchTemplateNames) return list_templates(call);
  std::map<std::string, TemplateRow> found;
  for (const std::string& id : request.LaunchTemplateIds.value_or(std::vector<std::string>())) {
    found[id] = get_template(call, id, std::nullopt);
  }
  for (const std::string& name : request.LaunchTemplateNames.value_or(std::vector<std::string>())) {
    const auto row = find_template_by_name(call, name);
    if (!row) {
      throw ApiError("InvalidLaunchTemplateName.NotFoundException",
                     "At least one of the launch templates specified in the request does not exist.");
    }
    found[row->id] = *row;
  }
  std::vector<TemplateRow> rows;
  for (auto& [id, row] : found) rows.push_back(std::move(row));
  return rows;
}

DescribeLaunchTemplatesResult describe_launch_templates(Call& call, const DescribeLaunchTemplatesRequest& request) {
  check_filters(request.Filters, kTemplateFilters);
  const Page page = request.MaxResults && *request.MaxResults < 5
                        ? read_list_page(std::nullopt, request.NextToken, std::max(1, *request.MaxResults))
                        : read_list_page(request.MaxResults, request.NextToken, kMaxTemplatePage);
  auto rows = requested_templates(call, request);
  check_dry_run(request.DryRun);
  auto tags = tags_of_type(call, kTemplateType);
  std::erase_if(rows, [&](const TemplateRow& row) {
    return !passes(request.Filters, tags[row.id], [&](std::string_view name) { return template_values(row, name); });
  });
  DescribeLaunchTemplatesResult result;
  result.NextToken = cut_list(rows, page, [](const TemplateRow& row) { return row.id; });
  result.LaunchTemplates.emplace();
  for (const TemplateRow& row : rows) result.LaunchTemplates->push_back(shown_template(row, tags[row.id]));
  return result;
}

ModifyLaunchTemplateResult modify_launch_template(Call& call, const ModifyLaunchTemplateRequest& request) {
  TemplateRow row = get_template(call, request.LaunchTemplateId, request.LaunchTemplateName);
  if (!request.DefaultVersion) throw missing_parameter("DefaultVersion");
  const auto version = get_template_version(call, row, *request.DefaultVersion);
  check_dry_run(request.DryRun);
  row.default_version = version.version;
  update_template(call, row);
  ModifyLaunchTemplateResult result;
  result.LaunchTemplate = shown_template(row, tags_of(call, row.id));
  return result;
}

DeleteLaunchTemplateResult delete_launch_template(Call& call, const DeleteLaunchTemplateRequest& request) {
  const TemplateRow row = get_template(call, request.LaunchTemplateId, request.LaunchTemplateName);
  check_dry_run(request.DryRun);
  DeleteLaunchTemplateResult result;
  result.LaunchTemplate = shown_template(row, tags_of(call, row.id));
  delete_template_rows(call, row.id);
  delete_all_tags(call, row.id);
  return result;
}

}  // namespace

LaunchTemplate shown_template(const TemplateRow& row, const Tags& tags) {
  LaunchTemplate shape;
  shape.LaunchTemplateId = row.id;
  shape.LaunchTemplateName = row.name;
  shape.CreateTime = std::chrono::floor<std::chrono::seconds>(row.created_at);
  shape.CreatedBy = row.created_by;
  shape.DefaultVersionNumber = row.default_version;
  shape.LatestVersionNumber = row.latest_version;
  if (!tags.empty()) shape.Tags = shown_tags(tags);
  return shape;
}

std::vector<Operation> template_operations() {
  return {operation<&create_launch_template>("CreateLaunchTemplate", Access::Write),
          operation<&describe_launch_templates>("DescribeLaunchTemplates", Access::Read),
          operation<&modify_launch_template>("ModifyLaunchTemplate", Access::Write),
          operation<&delete_launch_template>("DeleteLaunchTemplate", Access::Write)};
}

}  // namespace services::ec2
