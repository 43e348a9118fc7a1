// SPDX-License-Identifier: Apache-2.0
// SSM, as far as ECS Exec needs it: the sessions that ExecuteCommand starts are resumed, ended and listed here.
#pragma once

#include "services/module.h"
#include "services/options.h"
#include "shapes/ssm/session.h"

namespace services::ssm {

Module module(const Options& options);

shapes::ssm::ResumeSessionResponse resume_session(Call& call, const shapes::ssm::ResumeSessionRequest& request);
shapes::ssm::TerminateSessionResponse terminate_session(Call& call, const shapes::ssm::TerminateSessionRequest& request);
shapes::ssm::DescribeSessionsResponse describe_sessions(Call& call, const shapes::ssm::DescribeSessionsRequest& request);

}  // namespace services::ssm
