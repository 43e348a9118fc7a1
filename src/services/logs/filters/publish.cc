// SPDX-License-Identifier: Apache-2.0
#include "services/logs/filters/publish.h"

#include <algorithm>

#include "base/log.h"
#include "services/invoke.h"

namespace services::logs {
namespace {

constexpr std::size_t kMaxDataOfRequest = 1000;  // PutMetricData's

}  // namespace

bool is_dimension_text(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && text[0] != ':' && text.find_first_not_of(' ') != text.npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

int publish(Call& call, const Group& group, const DataByNamespace& data) {
  Caller principal = as_service(call, kPrincipal, group.arn(), group.account);
  principal.region = group.region;  // a loop has none
  int rejected = 0;
  for (const auto& [space, all] : data) {
    for (std::size_t at = 0; at < all.size(); at += kMaxDataOfRequest) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + kMaxDataOfRequest));
      shapes::cloudwatch::PutMetricDataInput input;
      input.Namespace = space;
      input.MetricData.emplace(begin, end);
      try {
        invoke(call, principal, "cloudwatch", "PutMetricData", input);
      } catch (const wire::ApiError& error) {
        // The events are stored: metrics that CloudWatch rejects do not undo that.
        ++rejected;
        base::log_debug("metrics of log events rejected", {{"group", group.name}, {"why", error.message()}});
      }
    }
  }
  return rejected;
}

}  // namespace services::logs
