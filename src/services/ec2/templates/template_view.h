// SPDX-License-Identifier: Apache-2.0
// Launch templates as clients see them.
#pragma once

#include "services/ec2/filters.h"
#include "services/ec2/templates/template_row.h"
#include "shapes/ec2/launch_template.h"

namespace services::ec2 {

shapes::ec2::LaunchTemplate shown_template(const TemplateRow& row, const Tags& tags);
shapes::ec2::LaunchTemplateVersion shown_version(const TemplateRow& row, const TemplateVersionRow& version);

}  // namespace services::ec2
