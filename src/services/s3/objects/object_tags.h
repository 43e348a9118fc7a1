// SPDX-License-Identifier: Apache-2.0
// An object's tags, as headers and XML state them.
#pragma once

#include <string>
#include <vector>

#include "services/s3/objects/object_row.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {

// Throws InvalidTag, and BadRequest for more than ten.
Tags read_tags(const std::vector<shapes::s3::Tag>& tags);
// x-amz-tagging: "key=value&other=", encoded like a query.
Tags read_tag_header(const std::string& text);

}  // namespace services::s3
