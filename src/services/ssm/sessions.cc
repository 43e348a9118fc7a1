// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "services/page.h"
#include "services/ssm/module.h"
#include "state/exec_session.h"
#include "wire/error.h"
#include "wire/timestamp.h"

namespace services::ssm {
namespace {

using namespace shapes::ssm;
using state::ExecSession;
using state::ExecStatus;
using wire::ApiError;

constexpr std::int32_t kMaxPage = 200;

const PageRules kRules{kMaxPage,
                       [](std::int32_t) { return ApiError("ValidationException", "MaxResults must be 1 to 200."); },
                       [](const std::string&) { return ApiError("InvalidNextToken", "The specified token isn't valid."); }};

// Those of other accounts and regions do not exist.
ExecSession find_session(Call& call, const std::string& id) {
  auto session = state::find_exec_session(call.tx, id);
  if (session && session->account == call.caller.account && session->region == call.caller.region) {
    return std::move(*session);
  }
  throw ApiError("DoesNotExistException", "Session " + id + " does not exist.");
}

base::Time time_of(const SessionFilter& filter) {
  if (const auto time = wire::from_iso8601(filter.value)) return *time;
  throw ApiError("InvalidFilterKey", filter.key + " must be a time in ISO 8601: " + filter.value);
}

ExecStatus status_of(const SessionFilter& filter) {
  for (ExecStatus status : {ExecStatus::Connecting, ExecStatus::Connected, ExecStatus::Disconnected,
                            ExecStatus::Terminating, ExecStatus::Terminated, ExecStatus::Failed}) {
    if (state::text(status) == filter.value) return status;
  }
  throw ApiError("InvalidFilterKey", "Unknown session status: " + filter.value);
}

void apply(const SessionFilter& filter, state::ExecSessionFilter& into) {
  if (filter.key == "InvokedAfter") {
    into.after_time = time_of(filter);
  } else if (filter.key == "InvokedBefore") {
    into.before_time = time_of(filter);
  } else if (filter.key == "Target") {
    into.target = filter.value;
  } else if (filter.key == "Owner") {
    into.owner = filter.value;
  } else if (filter.key == "Status") {
    into.status = status_of(filter);
  } else if (filter.key == "SessionId") {
    into.id = filter.value;
  } else if (filter.value != "Standard") {
    throw ApiError("InvalidFilterKey", "Stoker does not support sessions with the access type " + filter.value + ".");
  }
}

std::int64_t number_of(const std::string& token) {
  std::int64_t number = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, number);
  if (error != std::errc() || stop != end || number <= 0) throw kRules.invalid_token(token);
  return number;
}

Session shown(const ExecSession& row) {
  Session session;
  session.SessionId = row.id;
  session.Target = row.target;
  session.Status = state::text(row.status);
  session.StartDate = row.created_at;
  session.EndDate = row.ended_at;
  session.Owner = row.owner;
  if (!row.reason.empty()) session.Details = row.reason;
  session.AccessType = "Standard";
  return session;
}

}  // namespace

// A session that has ended has no token: the plugin then reports that it timed out, and exits. On an error it would
// wait for ever.
ResumeSessionResponse resume_session(Call& call, const ResumeSessionRequest& request) {
  const ExecSession session = find_session(call, request.SessionId);
  if (session.status >= ExecStatus::Terminating) return {.SessionId = session.id};
  const state::ExecToken token = state::new_exec_token();
  state::replace_exec_token(call.tx, session.id, token.hash, call.now + state::kExecTokenLife);
  return {.SessionId = session.id,
          .TokenValue = token.value,
          .StreamUrl = state::exec_stream_url(call.caller.endpoint, session.id)};
}

TerminateSessionResponse terminate_session(Call& call, const TerminateSessionRequest& request) {
  const ExecSession session = find_session(call, request.SessionId);
  state::set_exec_status(call.tx, session.id, ExecStatus::Terminating);
  call.wake(std::string(state::kExecTopic));
  return {.SessionId = session.id};
}

DescribeSessionsResponse describe_sessions(Call& call, const DescribeSessionsRequest& request) {
  const Page page = read_page(request.MaxResults, request.NextToken, kRules);
  state::ExecSessionFilter filter{.account = call.caller.account, .region = call.caller.region};
  filter.ended = request.State == "History";
  filter.most = page.size + 1;
  if (!page.after.empty()) filter.before = number_of(page.after);
  for (const SessionFilter& one : request.Filters.value_or(std::vector<SessionFilter>())) apply(one, filter);
  DescribeSessionsResponse response;
  response.Sessions.emplace();
  std::vector<std::string> keys;
  for (const ExecSession& row : state::list_exec_sessions(call.tx, filter)) {
    keys.push_back(std::to_string(row.number));
    response.Sessions->push_back(shown(row));
  }
  response.NextToken = cut_page(keys, page);
  response.Sessions->resize(keys.size());
  return response;
}

}  // namespace services::ssm
