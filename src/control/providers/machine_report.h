// SPDX-License-Identifier: Apache-2.0
// Reports about machines to EC2, in write transactions. Each looks at the instance's row first: it may have been
// terminated while its machine was started.
#pragma once

#include <string>

#include "control/providers/instance_provider.h"
#include "services/call.h"

namespace control::providers {

struct Report {
  std::string event;         // of shapes::stoker::ReportMachine
  std::string machine = {};  // the record, where it changes
  std::string reason = {};
};

// Sends it with EC2's ReportMachine, as the provider of the instance's account.
void report(services::Call& call, const Machine& machine, const Report& report);

// There is no machine for an instance that should have one.
void report_failure(services::Call& call, const Machine& machine, const std::string& reason);
// After a start: the record with the identity, or the failure.
void report_start(services::Call& call, const Machine& machine, const base::Result<Started>& started);
// A machine that was on its way runs.
void report_running(services::Call& call, const Machine& machine);
// It is gone on request. Deletes its key and its record.
void report_stopped(services::Call& call, const Machine& machine);
// It is gone without a request. Deletes its key and its record.
void report_end(services::Call& call, const Machine& machine, const std::string& reason);

}  // namespace control::providers
