// SPDX-License-Identifier: Apache-2.0
// Keys as text in XML and in events.
#pragma once

#include <string>
#include <string_view>

namespace services::s3 {

// As Amazon encodes keys with encoding-type=url: a space becomes '+', slashes stay.
std::string url_encoded(std::string_view key);

}  // namespace services::s3
