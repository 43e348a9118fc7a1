// SPDX-License-Identifier: Apache-2.0
// Amazon Resource Names: "arn:aws:sqs:us-east-1:111111111111:jobs".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace services {

// Its parts point into the text that was parsed.
struct Arn {
  std::string_view service, region, account, resource;
  std::string_view partition = "aws";

  std::string str() const;
};

// nullopt for text of another form. Every part may be empty, and the resource may contain colons.
std::optional<Arn> parse_arn(std::string_view text);
// The same for one service, in the partition "aws".
std::optional<Arn> parse_arn(std::string_view text, std::string_view service);

// 12 digits.
bool is_account_id(std::string_view text);

}  // namespace services
