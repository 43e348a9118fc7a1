// SPDX-License-Identifier: Apache-2.0
// Arguments of submit, jobs, job and top.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "cli/arguments.h"

namespace cli {
namespace {

constexpr char kSubmitExamples[] = R"text(
Examples:
  stoker submit ocr *.png                          print the id of each job
  stoker submit ocr *.png --wait --output results  results/NAME.png.json
  cat scan.pdf | stoker submit ocr - --wait        stdin.json
  stoker submit ocr a.png --id invoice-17 --metadata customer=42 --priority 9

The exit status is 1 when a job failed. Interrupting --wait does not cancel
the jobs: `stoker jobs` lists them, `stoker job result ID` has the results.
)text";

constexpr char kJobsExamples[] = R"text(
Examples:
  stoker jobs                        the newest 20 of all pipelines
  stoker jobs ocr --status FAILED
  stoker jobs -w ocr                 print each change as it happens
)text";

constexpr char kJobExamples[] = R"text(
Examples:
  stoker job show invoice-17
  stoker job result invoice-17 > result.json
  stoker job retry invoice-17
)text";

constexpr char kTopExamples[] = R"text(
Keys: q quits.

Examples:
  stoker top
  stoker top --once | head -20
)text";

constexpr std::size_t kMaxJobs = 10'000;
constexpr int kMaxPriority = 9;

std::string check_metadata(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals != text.npos && equals > 0 ? "" : "invalid metadata '" + text + "': use KEY=VALUE";
}

CLI::App* add_job_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                         Command action) {
  CLI::App* sub = add_client(app, options, command, name, help, std::move(action));
  add_region(sub, options);
  add_json(sub, options);
  return sub;
}

void add_submit(CLI::App& app, Options& options, Command& command) {
  struct Given {
    SubmitArguments arguments;
    std::vector<std::string> metadata;
  };
  auto given = std::make_shared<Given>();  // shared with the command
  CLI::App* sub = add_job_client(app, options, command, "submit", "Send files to a pipeline, as a job each", [&options, given] {
    SubmitArguments& arguments = given->arguments;
    for (const std::string& text : given->metadata) {
      arguments.metadata.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
    }
    arguments.progress_bar = ::isatty(STDERR_FILENO) != 0;
    return submit(options, arguments, std::cout, std::cerr);
  });
  SubmitArguments& arguments = given->arguments;
  sub->add_option("pipeline", arguments.pipeline, "Name of the pipeline")->required();
  sub->add_option("file", arguments.files, "Files; - is standard input")->required();
  sub->add_flag("--wait", arguments.wait, "Wait for the results and write them to files");
  sub->add_option("--output", arguments.output, "Folder of the results: DIR/NAME.json (.)")->type_name("DIR");
  sub->add_option("--id", arguments.id, "Id of the job (random); the same id and file again is the same job");
  sub->add_option("--metadata", given->metadata, "Stored with the job. Repeatable")
      ->allow_extra_args(false)
      ->check(check_metadata)
      ->type_name("K=V");
  sub->add_option("--priority", arguments.priority, "0 (in order of arrival) to 9 (first)")->check(CLI::Range(0, kMaxPriority));
  sub->add_option("--webhook", arguments.webhook, "Called when the job is over")->type_name("URL");
  sub->footer(kSubmitExamples);
}

void add_jobs(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<JobsArguments>();
  CLI::App* sub = add_job_client(app, options, command, "jobs", "List jobs, the newest first",
                                 [&options, given] { return jobs(options, *given, std::cout); });
  sub->add_option("pipeline", given->pipeline, "Only of this pipeline");
  sub->add_option("--status", given->status, "Only with this status")
      ->transform(CLI::IsMember({"QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"}, CLI::ignore_case));
  sub->add_option("--limit", given->most, "The newest N (20)")->check(CLI::Range(std::size_t{1}, kMaxJobs))->type_name("N");
  sub->add_flag("-w,--watch", given->watch, "Print each change as it happens");
  sub->footer(kJobsExamples);
}

void add_job(CLI::App& app, Options& options, Command& command) {
  CLI::App* job = app.add_subcommand("job", "Show, retry or cancel a job, or print its result");
  job->require_subcommand(1);
  job->footer(kJobExamples);
  auto given = std::make_shared<JobArguments>();
  const auto add = [&](const char* name, const char* help, Command action) {
    CLI::App* sub = add_job_client(*job, options, command, name, help, std::move(action));
    sub->add_option("id", given->id, "Id of the job")->required();
    sub->add_option("--pipeline", given->pipeline, "Its pipeline, where several have a job of this id")->type_name("NAME");
  };
  add("show", "Show a job's state, times, machine and error", [&options, given] { return job_show(options, *given, std::cout); });
  add("retry", "Process a failed or cancelled job again",
      [&options, given] { return job_change(options, *given, "retry", std::cout); });
  add("cancel", "Cancel a job that is not over", [&options, given] { return job_change(options, *given, "cancel", std::cout); });
  add("result", "Print a job's result", [&options, given] { return job_result(options, *given, std::cout); });
}

}  // namespace

void add_job_commands(CLI::App& app, Options& options, Command& command) {
  add_submit(app, options, command);
  add_jobs(app, options, command);
  add_job(app, options, command);
  auto once = std::make_shared<bool>(false);
  CLI::App* screen = add_client(app, options, command, "top", "Show machines, GPUs, queues and pipelines, each second",
                                [&options, once] { return top(options, *once, std::cout); });
  add_cluster(screen, options);
  add_region(screen, options);
  screen->add_flag("--json", options.json, "Print one snapshot as JSON");
  screen->add_flag("--once", *once, "Print one frame, without control characters");
  screen->footer(kTopExamples);
}

}  // namespace cli
