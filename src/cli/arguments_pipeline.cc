// SPDX-License-Identifier: Apache-2.0
// Arguments of pipeline.
#include <iostream>
#include <memory>
#include <stdexcept>

#include "cli/arguments.h"
#include "cli/pipeline_commands.h"
#include "cli/pipeline_spec.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

using shapes::stoker::PipelineSpec;

constexpr char kPipelineExamples[] = R"text(
Examples:
  stoker pipeline create ocr --max 4
  stoker pipeline create embed --image my/model --gpus 1 --batch 64 \
      --serve 'python3 serve.py'
  stoker pipeline diff -f ocr.yaml; stoker pipeline apply -f ocr.yaml
  stoker pipeline delete ocr --delete-data
)text";

struct CreateArguments {
  PipelineSpec spec;
  std::string file;
  std::vector<std::string> environment, languages;
};

// Flags and a file describe the same thing, so only one of them can be used.
PipelineSpec requested_spec(const CreateArguments& given) {
  const bool flags = given.spec != PipelineSpec() || !given.environment.empty() || !given.languages.empty();
  if (!given.file.empty() && flags) throw UsageError("pipeline create: use a name and flags, or -f FILE");
  if (!given.file.empty()) return read_pipeline_spec(given.file);
  if (given.spec.name.empty()) throw UsageError("pipeline create: a name or -f FILE is required");
  PipelineSpec spec = given.spec;
  for (const std::string& variable : given.environment) {
    const std::size_t sign = variable.find('=');
    if (sign == variable.npos || sign == 0) throw UsageError("--env: '" + variable + "' is not NAME=VALUE");
    if (!spec.environment) spec.environment.emplace();
    (*spec.environment)[variable.substr(0, sign)] = variable.substr(sign + 1);
  }
  if (!given.languages.empty()) spec.languages = given.languages;
  return spec;
}

void add_processor_flags(CLI::App* sub, CreateArguments& given) {
  PipelineSpec& spec = given.spec;
  const char* group = "Processor";
  sub->add_option("--builtin", spec.builtin, "A built-in processor: ocr, the default")->group(group);
  sub->add_option("--image", spec.image, "Image of the workers")->group(group);
  sub->add_option("--exec", spec.exec, "Command for an item: 'cmd {input} {output}'")->type_name("CMD")->group(group);
  sub->add_option("--serve", spec.serve, "Command that stays and gets batches")->type_name("CMD")->group(group);
  sub->add_option("--language", given.languages, "Language of ocr. Repeatable")->allow_extra_args(false)->group(group);
  sub->add_option("-e,--env", given.environment, "Environment variable. Repeatable")
      ->allow_extra_args(false)
      ->type_name("K=V")
      ->group(group);
  sub->add_option("--batch", spec.batch, "Items of a batch (1)")->type_name("N")->group(group);
  sub->add_option("--linger", spec.linger, "How long a batch waits for more (20ms)")->type_name("TIME")->group(group);
  sub->add_option("--timeout", spec.timeout, "Longest time of an item (5m)")->type_name("TIME")->group(group);
  sub->add_option("--retries", spec.retries, "Attempts after the first (2)")->type_name("N")->group(group);
}

void add_worker_flags(CLI::App* sub, PipelineSpec& spec) {
  const char* group = "Workers";
  sub->add_option("--gpus", spec.gpus, "Whole GPUs of a worker (0)")->type_name("N")->group(group);
  sub->add_option("--gpu-memory", spec.gpu_memory, "Or a share of one GPU")->type_name("MiB")->group(group);
  sub->add_option("--cpu", spec.cpu, "CPU units of a worker, 1024 per core")->type_name("UNITS")->group(group);
  sub->add_option("--memory", spec.memory, "Memory limit of a worker (none)")->type_name("MiB")->group(group);
  sub->add_option("--min", spec.min, "Workers without items (0)")->type_name("N")->group(group);
  sub->add_option("--max", spec.max, "Most workers (1)")->type_name("N")->group(group);
  sub->add_option("--items-per-task", spec.items_per_task, "Backlog per worker (4 batches)")
      ->type_name("N")
      ->group(group);
  sub->add_option("--idle", spec.idle, "Workers end after this time without items (60s)")
      ->type_name("TIME")
      ->group(group);
  sub->add_option("--cluster", spec.cluster, "Cluster of the workers (default)")->type_name("NAME")->group(group);
}

void add_data_flags(CLI::App* sub, PipelineSpec& spec) {
  const char* group = "Data";
  sub->add_option("--bucket", spec.bucket, "Name of the bucket (stoker-NAME-ACCOUNT)")->type_name("NAME")->group(group);
  sub->add_option("--retention", spec.retention, "Delete data after 30d, ... (never)")->type_name("DAYS")->group(group);
  sub->add_option("--webhook", spec.webhook, "URL that receives results")->type_name("URL")->group(group);
}

void add_common(CLI::App* sub, Options& options) {
  add_region(sub, options);
  add_json(sub, options);
}

void add_definition_commands(CLI::App& pipeline, Options& options, Command& command) {
  auto given = std::make_shared<CreateArguments>();  // shared with the commands
  CLI::App* create = add_client(pipeline, options, command, "create", "Create a pipeline and all its resources",
                                [&options, given] { return pipeline_create(options, requested_spec(*given), std::cout); });
  create->add_option("name", given->spec.name, "Name of the pipeline");
  create->add_option("-f,--file", given->file, "YAML file instead of flags; - is standard input");
  add_processor_flags(create, *given);
  add_worker_flags(create, given->spec);
  add_data_flags(create, given->spec);
  CLI::App* apply =
      add_client(pipeline, options, command, "apply", "Create, change or repair a pipeline",
                 [&options, given] { return pipeline_apply(options, read_pipeline_spec(given->file), std::cout); });
  CLI::App* diff =
      add_client(pipeline, options, command, "diff", "Show what apply would change; 1: something",
                 [&options, given] { return pipeline_diff(options, read_pipeline_spec(given->file), std::cout); });
  for (CLI::App* sub : {apply, diff}) {
    sub->add_option("-f,--file", given->file, "YAML file; - is standard input")->required();
  }
  for (CLI::App* sub : {create, apply, diff}) add_common(sub, options);
}

void add_state_commands(CLI::App& pipeline, Options& options, Command& command) {
  auto given = std::make_shared<PipelineDeletion>();  // shared with the commands
  CLI::App* list = add_client(pipeline, options, command, "list", "List the pipelines",
                              [&options] { return pipeline_list(options, std::cout); });
  CLI::App* show =
      add_client(pipeline, options, command, "show", "Show a pipeline, its resources and how to use it",
                 [&options, given] { return pipeline_show(options, given->name, std::cout); });
  CLI::App* pause =
      add_client(pipeline, options, command, "pause", "End the workers; items wait in the queue",
                 [&options, given] { return pipeline_pause(options, given->name, std::cout); });
  CLI::App* resume = add_client(pipeline, options, command, "resume", "Start workers again",
                                [&options, given] { return pipeline_resume(options, given->name, std::cout); });
  CLI::App* remove =
      add_client(pipeline, options, command, "delete", "Delete a pipeline, but not its data",
                 [&options, given] { return pipeline_delete(options, *given, std::cin, std::cout); });
  remove->add_flag("--delete-data", given->delete_data, "Delete the bucket with inputs and results, too");
  remove->add_flag("--yes", given->yes, "Do not ask before data is deleted");
  for (CLI::App* sub : {show, pause, resume, remove}) {
    sub->add_option("name", given->name, "Name of the pipeline")->required();
  }
  for (CLI::App* sub : {list, show, pause, resume, remove}) add_common(sub, options);
}

void add_key_commands(CLI::App& pipeline, Options& options, Command& command) {
  struct KeyArguments {
    std::string pipeline, id;
    std::optional<std::string> name;
  };
  auto given = std::make_shared<KeyArguments>();  // shared with the commands
  CLI::App* key = pipeline.add_subcommand("key", "Create, list and delete keys of the job API");
  key->require_subcommand(1);
  CLI::App* create = add_client(*key, options, command, "create", "Create a key and print its secret", [&options, given] {
    return pipeline_key_create(options, given->pipeline, given->name, std::cout);
  });
  CLI::App* list = add_client(*key, options, command, "list", "List the keys, without their secrets",
                              [&options, given] { return pipeline_key_list(options, given->pipeline, std::cout); });
  CLI::App* remove = add_client(*key, options, command, "delete", "Delete a key; requests with it are then rejected",
                                [&options, given] {
                                  return pipeline_key_delete(options, given->pipeline, given->id, std::cout);
                                });
  CLI::App* secret =
      add_client(pipeline, options, command, "webhook-secret", "Print the secret that signs the webhooks",
                 [&options, given] { return pipeline_webhook_secret(options, given->pipeline, std::cout); });
  for (CLI::App* sub : {create, list, remove, secret}) {
    sub->add_option("pipeline", given->pipeline, "Name of the pipeline")->required();
    add_common(sub, options);
  }
  create->add_option("--name", given->name, "What the key is for")->type_name("TEXT");
  remove->add_option("id", given->id, "Id of the key")->required();
}

}  // namespace

void add_pipeline_commands(CLI::App& app, Options& options, Command& command) {
  CLI::App* pipeline =
      app.add_subcommand("pipeline", "Create, change, show and delete pipelines: a file goes in, a result comes out");
  pipeline->require_subcommand(1);
  pipeline->footer(kPipelineExamples);
  add_definition_commands(*pipeline, options, command);
  add_state_commands(*pipeline, options, command);
  add_key_commands(*pipeline, options, command);
}

}  // namespace cli
