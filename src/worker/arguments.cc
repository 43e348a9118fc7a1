// SPDX-License-Identifier: Apache-2.0
#include "worker/arguments.h"

#include <map>
#include <stdexcept>

#include "base/duration.h"
#include "worker/run.h"

namespace worker {
namespace {

constexpr char kExamples[] = R"text(
Examples:
  stoker work --queue images --exec 'convert {input} -resize 50% {output}'
  stoker work --queue images --exec 'wc -c < {input}'
  stoker work --queue images --serve 'python3 model.py' --batch 64 --linger 20ms
  stoker work --queue scans --builtin ocr --languages eng+deu

An item is an object that S3 announced in the queue: in/a/b.png becomes the
result out/a/b.png.json, or errors/a/b.png.json. With --exec, the result is
what the command writes to {output}, or to stdout if it has no {output}:
JSON as it is, other text as {"output": "..."}. With --serve, the command gets
one JSON line per item and answers with one:
  {"id": "7", "input": "/tmp/7-b.png", "batch": {"index": 0, "size": 8}, ...}
  {"id": "7", "result": {"label": "cat"}}   or   {"id": "7", "error": "broken"}
A failed item is tried again, except after an error with "permanent": true and
after the exit code 65: it goes to the dead-letter queue at once.

Credentials and endpoints are those of other AWS clients: AWS_ACCESS_KEY_ID,
a task role, ~/.aws/credentials; AWS_ENDPOINT_URL, AWS_REGION.
SIGTERM finishes the items at hand; see --drain.
)text";

constexpr int kMaxBatch = 10'000;
constexpr int kMaxConcurrency = 1'000;
constexpr int kMaxPrefetch = 100'000;
constexpr auto kLeastVisibility = std::chrono::seconds(1);
constexpr auto kMostVisibility = std::chrono::hours(12);

std::string check_duration_text(const std::string& text) {
  return base::parse_duration(text) ? "" : "expected a duration like 20ms, 90s or 5m, not '" + text + "'";
}

CLI::Option* add_duration_option(CLI::App& command, const char* name, base::Duration& into, const char* help) {
  return command
      .add_option_function<std::string>(
          name, [&into](const std::string& text) { into = *base::parse_duration(text); }, help)
      ->check(check_duration_text)
      ->type_name("DURATION");
}

void add_processor_options(CLI::App& command, Options& options) {
  command.add_option("--exec", options.exec, "A command for each item, with {input} and {output}")
      ->type_name("CMD")
      ->group("Processor");
  command.add_option("--serve", options.serve, "A command that stays and answers lines")
      ->type_name("CMD")
      ->group("Processor");
  command.add_option("--builtin", options.builtin, "A built-in processor: ocr")
      ->check(CLI::IsMember({"ocr"}))
      ->group("Processor");
  command.add_option("--languages", options.languages, "Languages of ocr, as in eng+deu")
      ->capture_default_str()
      ->group("Processor");
  command.add_option("--batch", options.batch, "Items of a batch, with --serve")
      ->check(CLI::Range(1, kMaxBatch))
      ->capture_default_str()
      ->type_name("N")
      ->group("Processor");
  add_duration_option(command, "--linger", options.linger, "How long an incomplete batch waits for more (0ms)")
      ->group("Processor");
  command.add_option("--concurrency", options.concurrency, "Commands at a time, with --exec")
      ->check(CLI::Range(1, kMaxConcurrency))
      ->capture_default_str()
      ->type_name("N")
      ->group("Processor");
  add_duration_option(command, "--timeout", options.timeout, "Longest time of an item (5m)")->group("Processor");
}

void add_queue_options(CLI::App& command, Arguments& arguments) {
  Options& options = arguments.options;
  command.add_option("--queue", options.queue, "Name of the queue, or its URL")->required();
  command.add_option("--prefetch", options.prefetch, "Items to hold beyond those at work (by their rate)")
      ->check(CLI::Range(0, kMaxPrefetch))
      ->type_name("N");
  add_duration_option(command, "--backoff", options.backoff, "Pause after a failure; doubles each time (1s)");
  add_duration_option(command, "--drain", options.drain, "Time to finish items after SIGTERM (30s)");
  add_duration_option(command, "--visibility", options.visibility, "Until others get the items of a dead worker (30s)")
      ->check([](const std::string& text) {
        const auto given = base::parse_duration(text);
        const bool valid = given && *given >= kLeastVisibility && *given <= kMostVisibility;
        return valid ? std::string() : "expected 1s to 12h, not '" + text + "'";
      });
  command.add_option("--pipeline", options.pipeline, "Report to this pipeline")->type_name("NAME");
}

void add_object_options(CLI::App& command, Options& options) {
  command.add_option("--input-prefix", options.input_prefix, "Of inputs")->capture_default_str()->group("Objects");
  command.add_option("--results-prefix", options.results_prefix, "Of results")->capture_default_str()->group("Objects");
  command.add_option("--errors-prefix", options.errors_prefix, "Of error documents")
      ->capture_default_str()
      ->group("Objects");
  command.add_option("--results-bucket", options.results_bucket, "Of results and errors (the input's)")
      ->type_name("NAME")
      ->group("Objects");
  command.add_option("--workdir", options.work_folder, "Folder for downloads ($TMPDIR)")
      ->type_name("DIR")
      ->group("Objects");
}

}  // namespace

void add_arguments(CLI::App& command, Arguments& arguments) {
  static const std::map<std::string, base::LogLevel> kLevels = {{"debug", base::LogLevel::Debug},
                                                                {"info", base::LogLevel::Info},
                                                                {"warn", base::LogLevel::Warn},
                                                                {"error", base::LogLevel::Error}};
  add_queue_options(command, arguments);
  add_processor_options(command, arguments.options);
  add_object_options(command, arguments.options);
  command.add_option("--endpoint", arguments.endpoint, "Address of all services (the environment's)")
      ->type_name("URL");
  command.add_option("--region", arguments.region, "Region (the environment's)");
  command.add_option("--log-level", arguments.log_level, "debug, info, warn, error")
      ->transform(CLI::CheckedTransformer(kLevels))
      ->type_name("LEVEL");
  command.footer(kExamples);
}

void check_arguments(const Arguments& arguments) {
  const Options& options = arguments.options;
  const int chosen = !options.exec.empty() + !options.serve.empty() + !options.builtin.empty();
  if (chosen != 1) throw std::runtime_error("choose one of --exec, --serve and --builtin");
  if (!options.exec.empty() && options.exec.find("{input}") == std::string::npos) {
    throw std::runtime_error("--exec '" + options.exec + "' does not use its item: write {input} where its file goes");
  }
  if (options.timeout.count() == 0) throw std::runtime_error("--timeout must be longer than 0s");
  if (options.results_prefix == options.input_prefix && options.results_bucket.empty()) {
    throw std::runtime_error("--results-prefix must differ from --input-prefix, or results would be inputs again");
  }
}

int run_with(const Arguments& arguments) {
  check_arguments(arguments);
  base::set_log_level(arguments.log_level);
  client::Settings settings = client::read_settings(client::process_environment());
  if (arguments.endpoint) {
    settings.endpoint = arguments.endpoint;
    settings.endpoint_of_service = {};
  }
  if (arguments.region) settings.region = *arguments.region;
  return run(arguments.options, settings);
}

}  // namespace worker
