// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/route.h"

#include <optional>

#include "base/bytes.h"

namespace doors::jobs {
namespace {

struct Row {
  const char* method;
  const char* path;  // {p}: the pipeline, {j}: the job, {d}: the delivery
  Action action;
};

constexpr Row kRows[] = {
    {"GET", "/pipelines/{p}", Action::ShowPipeline},
    {"POST", "/pipelines/{p}/jobs", Action::SubmitJob},
    {"GET", "/pipelines/{p}/jobs", Action::ListPipelineJobs},
    {"GET", "/pipelines/{p}/events", Action::PipelineEvents},
    {"GET", "/jobs", Action::ListJobs},
    {"GET", "/jobs/{j}", Action::ShowJob},
    {"GET", "/jobs/{j}/result", Action::ShowResult},
    {"POST", "/jobs/{j}/cancel", Action::CancelJob},
    {"POST", "/jobs/{j}/retry", Action::RetryJob},
    {"GET", "/jobs/{j}/events", Action::JobEvents},
    {"GET", "/jobs/{j}/deliveries", Action::ListDeliveries},
    {"POST", "/jobs/{j}/deliveries/{d}/resend", Action::ResendDelivery},
};

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  for (path.remove_prefix(1);;) {
    const std::size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    if (end == path.npos) return parts;
    path.remove_prefix(end + 1);
  }
}

std::optional<Route> match(const Row& row, const std::vector<std::string_view>& parts) {
  const std::vector<std::string_view> wanted = split_path(row.path);
  if (wanted.size() != parts.size()) return std::nullopt;
  Route route{.action = row.action};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!wanted[i].starts_with('{')) {
      if (wanted[i] != parts[i]) return std::nullopt;
      continue;
    }
    auto value = base::percent_decode(parts[i]);
    if (!value || value->empty()) return std::nullopt;
    (wanted[i] == "{p}" ? route.pipeline : wanted[i] == "{j}" ? route.job : route.delivery) = std::move(*value);
  }
  return route;
}

}  // namespace

bool is_job_path(std::string_view path) {
  return path == "/jobs" || path.starts_with("/jobs/") || path == "/pipelines" || path.starts_with("/pipelines/");
}

RouteResult find_route(std::string_view method, std::string_view path) {
  RouteResult result;
  if (!path.starts_with('/')) return result;
  const std::vector<std::string_view> parts = split_path(path);
  for (const Row& row : kRows) {
    auto route = match(row, parts);
    if (!route) continue;
    result.methods.push_back(row.method);
    if (method == row.method) result.found.push_back(std::move(*route));
  }
  return result;
}

}  // namespace doors::jobs
