// SPDX-License-Identifier: Apache-2.0
// Jobs as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/job_document.h"

namespace cli {

// "a/b.png" of "in/a/b.png"
std::string input_name(const JobDocument& job);
// From its start to its end, or until now; "-" where it has not started.
std::string run_time(const JobDocument& job, base::Time now);
// "2.5 s", "340 ms", "5 min"
std::string short_time(base::Duration duration);

// The table of `stoker jobs`, which fits 80 columns with ids of 36 characters. `with_pipeline`: jobs of several.
std::vector<std::string> job_heading(bool with_pipeline);
std::vector<std::string> job_row(const JobDocument& job, bool with_pipeline, base::Time now);

// One line for a change of a job, of `stoker jobs -w`.
std::string job_event_line(const JobDocument& job, base::Time now);

// "name  value" lines of `stoker job show`.
std::vector<std::vector<std::string>> job_lines(const JobDocument& job, base::Time now);

}  // namespace cli
