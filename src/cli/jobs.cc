// SPDX-License-Identifier: Apache-2.0
// stoker jobs, stoker job show|retry|cancel|result
#include <condition_variable>
#include <mutex>
#include <ostream>

#include "cli/commands.h"
#include "cli/job_client.h"
#include "cli/job_rows.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

constexpr auto kReconnectDelay = std::chrono::seconds(1);
constexpr int kMaxReconnects = 60;  // consecutive, without any event

JobDocument job_of(const ServerEvent& event) {
  JobDocument job;
  wire::read_json(wire::type_of<JobDocument>(), event.data, &job);
  return job;
}

// Prints each change until the output is closed, or the server is gone for a minute.
void watch_jobs(JobClient& client, const Options& options, const JobsArguments& arguments, std::ostream& out) {
  std::mutex mutex;
  std::condition_variable never;
  std::optional<std::string> last;
  for (int failures = 0; out.good() && failures <= kMaxReconnects; ++failures) {
    try {
      client.read_events(*arguments.pipeline, last, [&](const ServerEvent& event) {
        failures = 0;
        if (!event.id.empty()) last = event.id;
        if (event.type != "job") return true;
        const JobDocument job = job_of(event);
        if (arguments.status && job.status != *arguments.status) return true;
        out << (options.json ? event.data : job_event_line(job, base::SystemClock().now())) << std::endl;
        return out.good();
      });
    } catch (const JobApiError& error) {
      if (!error.is_temporary()) throw;
    } catch (const std::runtime_error&) {
      if (failures == kMaxReconnects) throw;
    }
    std::unique_lock lock(mutex);
    never.wait_for(lock, kReconnectDelay);
  }
}

void print_job(const Options& options, const JobReply& reply, std::ostream& out) {
  if (options.json) {
    out << reply.text << '\n';
  } else {
    print_table(out, job_lines(reply.job, base::SystemClock().now()));
  }
}

}  // namespace

int jobs(const Options& options, const JobsArguments& arguments, std::ostream& out) {
  if (arguments.watch && !arguments.pipeline) {
    throw std::runtime_error("-w follows the jobs of one pipeline: name it, for example `stoker jobs -w ocr`");
  }
  JobClient client(options);
  if (arguments.watch) {
    watch_jobs(client, options, arguments, out);
    return 0;
  }
  const JobPage printed{client.jobs({arguments.pipeline, arguments.status, arguments.most}), std::nullopt};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.jobs.empty()) {
    out << "no jobs" << (arguments.pipeline ? " of " + terminal_text(*arguments.pipeline) : "")
        << (arguments.status ? " with status " + *arguments.status : "") << '\n';
    return 0;
  }
  const base::Time now = base::SystemClock().now();
  std::vector<std::vector<std::string>> rows{job_heading(!arguments.pipeline)};
  for (const JobDocument& job : printed.jobs) rows.push_back(job_row(job, !arguments.pipeline, now));
  print_table(out, rows);
  return 0;
}

int job_show(const Options& options, const JobArguments& job, std::ostream& out) {
  print_job(options, JobClient(options).job({job.id, job.pipeline}), out);
  return 0;
}

int job_change(const Options& options, const JobArguments& job, const std::string& verb, std::ostream& out) {
  const JobReply reply = JobClient(options).change({job.id, job.pipeline}, verb);
  if (options.json) {
    out << reply.text << '\n';
  } else {
    out << terminal_text(reply.job.task_id) << "  " << reply.job.status << '\n';
  }
  return 0;
}

int job_result(const Options& options, const JobArguments& job, std::ostream& out) {
  JobClient(options).read_result({job.id, job.pipeline}, [&](std::string_view piece) { out << piece; });
  out.flush();
  return out.good() ? 0 : 1;
}

}  // namespace cli
