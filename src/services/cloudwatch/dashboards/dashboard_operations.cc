// SPDX-License-Identifier: Apache-2.0
// PutDashboard, GetDashboard, ListDashboards, DeleteDashboards. A dashboard belongs to an account, not to a region.
#include <algorithm>

#include "services/cloudwatch/alarms/alarm_json.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_validation.h"
#include "services/cloudwatch/dashboards/dashboard_body.h"
#include "services/cloudwatch/errors.h"
#include "services/page.h"
#include "services/shape_json.h"
#include "shapes/cloudwatch/dashboard.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

constexpr std::size_t kMaxDashboardName = 255;
constexpr std::int64_t kMaxDashboards = 5000;  // of an account
constexpr std::int32_t kDashboardsPerPage = 1000;

std::string dashboard_arn(const Call& call, const std::string& name) {
  return "arn:aws:cloudwatch::" + call.caller.account + ":dashboard/" + name;
}

void check_dashboard_name(const std::string& name) {
  const bool valid = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!valid || name.empty()) {
    throw invalid_value("The value for field DashboardName contains invalid characters. It can only contain "
                        "alphanumerics, dash (-) and underscore (_).\n");
  }
  if (name.size() > kMaxDashboardName) {
    throw invalid_value("The value for field DashboardName must be shorter than 256 characters.\n");
  }
}

wire::ApiError dashboard_not_found(const std::string& name) {
  return wire::ApiError("DashboardNotFoundError", "Dashboard " + name + " does not exist");
}

void check_body(const std::string& body) {
  const auto problems = find_body_problems(body);
  if (problems.empty()) return;
  std::string text = "The dashboard body is invalid, there are " + std::to_string(problems.size()) +
                     " validation errors:\n[";
  for (std::size_t i = 0; i < problems.size(); ++i) {
    text += (i ? ",\n" : "\n") + std::string("  {\n    \"dataPath\": ") + json_quoted(problems[i].path) +
            ",\n    \"message\": " + json_quoted(problems[i].message) + "\n  }";
  }
  throw wire::ApiError("DashboardInvalidInputError", text + "\n]");
}

PutDashboardOutput put_dashboard(Call& call, const PutDashboardInput& request) {
  check_dashboard_name(request.DashboardName);
  check_body(request.DashboardBody);
  const auto exists = call.tx.query("SELECT 1 FROM cloudwatch_dashboards WHERE account = $1 AND name = $2",
                                    call.caller.account, request.DashboardName)
                          .integer();
  if (exists) {
    call.tx.exec("UPDATE cloudwatch_dashboards SET body = $3, modified_at = $4, size_bytes = $5 "
                 "WHERE account = $1 AND name = $2",
                 call.caller.account, request.DashboardName, request.DashboardBody, call.now,
                 request.DashboardBody.size());
    return {.DashboardValidationMessages = std::vector<DashboardValidationMessage>()};
  }
  const auto count =
      call.tx.query("SELECT count(*) FROM cloudwatch_dashboards WHERE account = $1", call.caller.account).integer();
  if (count >= kMaxDashboards) {
    throw wire::ApiError("DashboardInvalidInputError",
                         "The account has " + std::to_string(kMaxDashboards) + " dashboards already.");
  }
  call.tx.exec("INSERT INTO cloudwatch_dashboards (account, name, body, size_bytes, modified_at, tags) "
               "VALUES ($1, $2, $3, $4, $5, $6)",
               call.caller.account, request.DashboardName, request.DashboardBody, request.DashboardBody.size(),
               call.now, to_json(add_tags({}, request.Tags)));
  return {.DashboardValidationMessages = std::vector<DashboardValidationMessage>()};
}

GetDashboardOutput get_dashboard(Call& call, const GetDashboardInput& request) {
  check_dashboard_name(request.DashboardName);
  auto body = call.tx.query("SELECT body FROM cloudwatch_dashboards WHERE account = $1 AND name = $2",
                            call.caller.account, request.DashboardName)
                  .one([](const store::Row& row) { return row.str(0); });
  if (!body) throw dashboard_not_found(request.DashboardName);
  return {.DashboardArn = dashboard_arn(call, request.DashboardName),
          .DashboardBody = std::move(*body),
          .DashboardName = request.DashboardName};
}

ListDashboardsOutput list_dashboards(Call& call, const ListDashboardsInput& request) {
  const PageRules rules{.most = kDashboardsPerPage,
                        .invalid_size = [](std::int32_t) { return invalid_value("The page size is invalid."); },
                        .invalid_token = [](const std::string&) {
                          return invalid_value("Request parameter NextToken is invalid");
                        }};
  const Page page = read_page(std::nullopt, request.NextToken, rules);
  const std::string prefix = request.DashboardNamePrefix.value_or("");
  check_storable(prefix, "DashboardNamePrefix");
  ListDashboardsOutput output{.DashboardEntries = std::vector<DashboardEntry>()};
  std::vector<std::string> names;
  call.tx.query("SELECT name, modified_at, size_bytes FROM cloudwatch_dashboards "
                "WHERE account = $1 AND name > $2 AND name >= $3 ORDER BY name LIMIT $4",
                call.caller.account, page.after, prefix, page.size + 1)
      .each([&](const store::Row& row) {
        std::string name = row.str(0);
        if (!name.starts_with(prefix)) return;
        names.push_back(name);
        output.DashboardEntries->push_back({.DashboardName = name,
                                            .DashboardArn = dashboard_arn(call, name),
                                            .LastModified = row.time(1),
                                            .Size = row.integer(2)});
      });
  output.NextToken = cut_page(names, page);
  output.DashboardEntries->resize(names.size());
  return output;
}

DeleteDashboardsOutput delete_dashboards(Call& call, const DeleteDashboardsInput& request) {
  for (const std::string& name : request.DashboardNames) {
    check_dashboard_name(name);
    const auto deleted = call.tx.exec("DELETE FROM cloudwatch_dashboards WHERE account = $1 AND name = $2",
                                      call.caller.account, name);
    // Throwing undoes the whole transaction: all are deleted, or none.
    if (deleted == 0) throw dashboard_not_found(name);
  }
  return {};
}

}  // namespace

std::vector<Operation> dashboard_operations() {
  return {operation<&delete_dashboards>("DeleteDashboards", Access::Write),
          operation<&get_dashboard>("GetDashboard", Access::Read),
          operation<&list_dashboards>("ListDashboards", Access::Read),
          operation<&put_dashboard>("PutDashboard", Access::Write)};
}

}  // namespace services::cloudwatch
