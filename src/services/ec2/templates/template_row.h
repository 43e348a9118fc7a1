// SPDX-License-Identifier: Apache-2.0
// Launch templates and their versions, as rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"

namespace services::ec2 {

struct TemplateRow {
  std::string id, name;
  std::int64_t default_version = 1, latest_version = 1;
  std::string client_token;  // of its creation; "": none
  std::string created_by;
  base::Time created_at;
};

struct TemplateVersionRow {
  std::string id;  // of the template
  std::int64_t version = 1;
  std::string description;
  std::string data_json;  // RequestLaunchTemplateData
  std::string client_token = {};  // of its creation; "": none
  std::string created_by;
  base::Time created_at;
};

// Of the caller's account and region, by id.
std::vector<TemplateRow> list_templates(Call& call);
std::optional<TemplateRow> find_template(Call& call, const std::string& id);
std::optional<TemplateRow> find_template_by_name(Call& call, const std::string& name);
void insert_template(Call& call, const TemplateRow& row);
void update_template(Call& call, const TemplateRow& row);
// With its versions.
void delete_template_rows(Call& call, const std::string& id);

std::vector<TemplateVersionRow> list_template_versions(Call& call, const std::string& id);
std::optional<TemplateVersionRow> find_template_version(Call& call, const std::string& id, std::int64_t version);
void insert_template_version(Call& call, const TemplateVersionRow& row);
void delete_template_version(Call& call, const std::string& id, std::int64_t version);

// By the id or the name of a request, of which there must be one. Throws EC2's errors.
TemplateRow get_template(Call& call, const std::optional<std::string>& id, const std::optional<std::string>& name);
// "$Latest", "$Default" or a number; throws where there is no such version.
TemplateVersionRow get_template_version(Call& call, const TemplateRow& row, const std::string& version);

}  // namespace services::ec2
