// SPDX-License-Identifier: Apache-2.0
#include "services/ssm/module.h"

#include <boost/describe/class.hpp>
#include <iterator>
#include <string_view>
#include <utility>

#include "shapes/ssm/errors.h"
#include "state/exec_session.h"
#include "wire/error.h"

namespace services::ssm {
namespace {

using wire::ApiError;

constexpr std::size_t kBodyLimit = 64u << 10;

struct AnyInput {
  bool operator==(const AnyInput&) const = default;
};
BOOST_DESCRIBE_STRUCT(AnyInput, (), ())

// Of SSM's many operations, those that tools around ECS call.
constexpr std::string_view kUnsupported[] = {"StartSession",        "GetConnectionStatus",  "SendCommand",
                                             "GetParameter",        "GetParameters",        "GetParametersByPath",
                                             "GetParameterHistory", "DescribeParameters",   "PutParameter",
                                             "DeleteParameter",     "DeleteParameters",     "DescribeInstanceInformation"};

template <std::size_t I>
void reject_operation(Call&, const AnyInput&) {
  throw ApiError("UnsupportedOperation",
                 "Stoker does not support the operation " + std::string(kUnsupported[I]) + " of Systems Manager.");
}

template <std::size_t... I>
std::vector<Operation> reject_all(std::index_sequence<I...>) {
  return {operation<&reject_operation<I>>(kUnsupported[I], Access::Read)...};
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return ApiError("ValidationException", wire::validation_message(violations));
}

Service make_service() {
  Service ssm;
  ssm.wire = {.name = "ssm",
              .target_prefix = "AmazonSSM",
              .api_version = "2014-11-06",
              .errors = shapes::ssm::kErrors};
  ssm.signing_name = "ssm";
  ssm.protocols = {wire::Protocol::Json11};
  ssm.body_limit = kBodyLimit;
  ssm.operations = reject_all(std::make_index_sequence<std::size(kUnsupported)>());
  ssm.operations.push_back(operation<&resume_session>("ResumeSession", Access::Write));
  ssm.operations.push_back(operation<&terminate_session>("TerminateSession", Access::Write));
  ssm.operations.push_back(operation<&describe_sessions>("DescribeSessions", Access::Read));
  ssm.violation_error = &violation_error;
  return ssm;
}

// The streams of all sessions ended with the former server, and agents have killed what ran in them.
void recover(Call& call) { state::end_all_exec_sessions(call.tx, "The server was restarted.", call.now); }

}  // namespace

Module module(const Options&) {
  Module ssm;
  ssm.service = make_service();
  ssm.migrations = state::exec_session_migrations();
  ssm.recover = &recover;
  return ssm;
}

}  // namespace services::ssm
