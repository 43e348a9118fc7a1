// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/templates/template_row.h"

#include <charconv>

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"

namespace services::ec2 {
namespace {

using wire::ApiError;

constexpr char kTemplateColumns[] =
    "SELECT id, name, default_version, latest_version, token, created_by, created_at FROM ec2_templates "
    "WHERE account = $1 AND region = $2";
constexpr char kVersionColumns[] =
    "SELECT template, version, description, data, token, created_by, created_at FROM ec2_template_versions WHERE template = $1";

TemplateRow read_template(const store::Row& row) {
  return {.id = row.str(0),
          .name = row.str(1),
          .default_version = row.integer(2),
          .latest_version = row.integer(3),
          .client_token = row.str(4),
          .created_by = row.str(5),
          .created_at = row.time(6)};
}

TemplateVersionRow read_version(const store::Row& row) {
  return {.id = row.str(0),
          .version = row.integer(1),
          .description = row.str(2),
          .data_json = row.str(3),
          .client_token = row.str(4),
          .created_by = row.str(5),
          .created_at = row.time(6)};
}

std::optional<std::int64_t> version_number(const TemplateRow& row, const std::string& text) {
  if (text == "$Latest") return row.latest_version;
  if (text == "$Default" || text.empty()) return row.default_version;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

std::optional<TemplateVersionRow> latest_version_of(Call& call, const std::string& id) {
  static const std::string sql = std::string(kVersionColumns) + " ORDER BY version DESC LIMIT 1";
  return call.tx.query(sql, id).one(read_version);
}

}  // namespace

std::vector<TemplateRow> list_templates(Call& call) {
  static const std::string sql = std::string(kTemplateColumns) + " ORDER BY id";
  return call.tx.query(sql, call.caller.account, call.caller.region).all(read_template);
}

std::optional<TemplateRow> find_template(Call& call, const std::string& id) {
  static const std::string sql = std::string(kTemplateColumns) + " AND id = $3";
  return call.tx.query(sql, call.caller.account, call.caller.region, id).one(read_template);
}

std::optional<TemplateRow> find_template_by_name(Call& call, const std::string& name) {
  static const std::string sql = std::string(kTemplateColumns) + " AND name = $3";
  return call.tx.query(sql, call.caller.account, call.caller.region, name).one(read_template);
}

void insert_template(Call& call, const TemplateRow& row) {
  call.tx.exec("INSERT INTO ec2_templates (id, account, region, name, default_version, latest_version, token, "
               "created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
               row.id, call.caller.account, call.caller.region, row.name, row.default_version, row.latest_version,
               row.client_token, row.created_by, row.created_at);
}

void update_template(Call& call, const TemplateRow& row) {
  call.tx.exec("UPDATE ec2_templates SET default_version = $2, latest_version = $3 WHERE id = $1", row.id,
               row.default_version, row.latest_version);
}

void delete_template_rows(Call& call, const std::string& id) {
  call.tx.exec("DELETE FROM ec2_template_versions WHERE template = $1", id);
  call.tx.exec("DELETE FROM ec2_templates WHERE id = $1", id);
}

std::vector<TemplateVersionRow> list_template_versions(Call& call, const std::string& id) {
  static const std::string sql = std::string(kVersionColumns) + " ORDER BY version DESC";
  return call.tx.query(sql, id).all(read_version);
}

std::optional<TemplateVersionRow> find_template_version(Call& call, const std::string& id, std::int64_t version) {
  static const std::string sql = std::string(kVersionColumns) + " AND version = $2";
  return call.tx.query(sql, id, version).one(read_version);
}

void insert_template_version(Call& call, const TemplateVersionRow& row) {
  call.tx.exec("INSERT INTO ec2_template_versions (template, version, description, data, token, created_by, "
               "created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
               row.id, row.version, row.description, row.data_json, row.client_token, row.created_by, row.created_at);
}

void delete_template_version(Call& call, const std::string& id, std::int64_t version) {
  call.tx.exec("DELETE FROM ec2_template_versions WHERE template = $1 AND version = $2", id, version);
}

TemplateRow get_template(Call& call, const std::optional<std::string>& id, const std::optional<std::string>& name) {
  if (id && name) {
    throw invalid_combination(
        "Both launch template ID and launch template name are specified in the request. Specify only one of them.");
  }
  if (!id && !name) {
    throw ApiError("MissingParameter",
                   "Either the launch template ID or launch template name must be specified in the request.");
  }
  if (id && !is_id(*id, "lt")) {
    throw ApiError("InvalidLaunchTemplateId.Malformed", "The launch template ID '" + *id + "' is malformed");
  }
  auto row = id ? find_template(call, *id) : find_template_by_name(call, *name);
  if (row) return *row;
  if (id) {
    throw ApiError("InvalidLaunchTemplateId.NotFound",
                   "The specified launch template, with template ID " + *id + ", does not exist.");
  }
  throw ApiError("InvalidLaunchTemplateName.NotFoundException",
                 "The specified launch template, with template name " + *name + ", does not exist.");
}

TemplateVersionRow get_template_version(Call& call, const TemplateRow& row, const std::string& version) {
  const auto number = version_number(row, version);
  if (!number) {
    throw invalid_value("Invalid launch template version: either '$Default', '$Latest', or a numeric version are "
                        "allowed.");
  }
  // The latest version may have been deleted; its number is not used again.
  auto found = version == "$Latest" ? latest_version_of(call, row.id) : find_template_version(call, row.id, *number);
  if (found) return *found;
  throw ApiError("InvalidLaunchTemplateId.VersionNotFound", "Could not find the specified version " + version +
                                                                " for the launch template with ID " + row.id + ".");
}

}  // namespace services::ec2
