// SPDX-License-Identifier: Apache-2.0
// Buckets in host names: "photos.localhost:4566" means the path "/photos".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace doors::objects {

// The bucket that a Host header names: BUCKET.localhost, BUCKET.s3.ANYTHING, or BUCKET.DOMAIN for one of
// `domains`. nullopt for a host without a bucket: its bucket is in the path.
std::optional<std::string> bucket_of_host(std::string_view host, const std::vector<std::string>& domains);

}  // namespace doors::objects
