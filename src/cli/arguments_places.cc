// SPDX-License-Identifier: Apache-2.0
// Arguments of cluster and context.
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/contexts.h"
#include "cli/standard_output.h"

namespace cli {
namespace {

constexpr char kContextExamples[] = R"text(
Examples:
  stoker context add lab --endpoint https://gpu.lab:4566 --profile lab
  stoker key create | awk '/secret/{print $3}'   on the server: the secret
  stoker context add lab --endpoint http://gpu.lab:4566 --access-key AKIA...
                                                 reads the secret of the key
  stoker context use lab; stoker ps
  stoker context use local                       the server of this machine
)text";

constexpr char kClusterExamples[] = R"text(
Examples:
  stoker cluster create lab --region eu-west-1
  stoker token --cluster lab --region eu-west-1
  stoker cluster list
)text";

void add_clusters(CLI::App& app, Options& options, Command& command) {
  CLI::App* cluster = app.add_subcommand("cluster", "Create, list and delete clusters");
  cluster->require_subcommand(1);
  cluster->footer(kClusterExamples);
  auto name = std::make_shared<std::string>();  // shared with the commands
  CLI::App* create = add_client(*cluster, options, command, "create", "Create a cluster",
                                [&options, name] { return cluster_create(options, *name, std::cout); });
  CLI::App* list = add_client(*cluster, options, command, "list", "List the clusters of all regions",
                              [&options] { return cluster_list(options, std::cout); });
  CLI::App* remove = add_client(*cluster, options, command, "delete", "Delete a cluster without machines and tasks",
                                [&options, name] { return cluster_delete(options, *name, std::cout); });
  for (CLI::App* sub : {create, remove}) sub->add_option("name", *name, "Name of the cluster")->required();
  for (CLI::App* sub : {create, list, remove}) {
    add_region(sub, options);
    add_json(sub, options);
  }
}

// Commands about a file of this machine: they call no server.
CLI::App* add_file_command(CLI::App& app, Command& command, const char* name, const char* help, Command action) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->callback([&command, action = std::move(action)] {
    command = [action] { return run_with_standard_output(action); };
  });
  return sub;
}

void add_contexts(CLI::App& app, Options& options, Command& command) {
  struct Given {
    std::string name, access_key;
  };
  auto given = std::make_shared<Given>();
  CLI::App* context = app.add_subcommand("context", "Name servers elsewhere, and choose one");
  context->require_subcommand(1);
  context->footer(kContextExamples);
  CLI::App* add = add_file_command(*context, command, "add", "Add or replace a context; the first one is used at once",
                                   [&options, given] {
                                     return context_add(options, given->name, given->access_key, std::cin, std::cout);
                                   });
  CLI::App* use = add_file_command(*context, command, "use", "Choose the context that commands use",
                                   [&options, given] { return context_use(options, given->name, std::cout); });
  CLI::App* remove = add_file_command(*context, command, "remove", "Remove a context",
                                      [&options, given] { return context_remove(options, given->name, std::cout); });
  CLI::App* list = add_file_command(*context, command, "list", "List the contexts, without secrets",
                                    [&options] { return context_list(options, std::cout); });
  for (CLI::App* sub : {add, use, remove, list}) add_json(sub, options);
  add->add_option("name", given->name, "Name of the context")->required()->check(check_context_name);
  use->add_option("name", given->name, "Name of the context, or local")->required();
  remove->add_option("name", given->name, "Name of the context")->required();
  add->add_option("--endpoint", options.endpoint, "Address of the server")->required()->type_name("URL");
  CLI::Option* profile = add->add_option("--profile", options.profile, "AWS profile with its key")->type_name("NAME");
  add->add_option("--access-key", given->access_key, "Id of its key; the secret is read from standard input")
      ->excludes(profile)
      ->type_name("ID");
  add->add_option("--ca-file", options.ca_file, "Trusted certificates of an https endpoint (the system's)")->type_name("FILE");
  add_region(add, options);
  add_cluster(add, options);
}

}  // namespace

void add_place_commands(CLI::App& app, Options& options, Command& command) {
  add_clusters(app, options, command);
  add_contexts(app, options, command);
}

}  // namespace cli
