// SPDX-License-Identifier: Apache-2.0
// What all commands that call a server have in common.
#include "cli/arguments.h"
#include "cli/connection.h"
#include "cli/standard_output.h"

namespace cli {

void add_region(CLI::App* command, Options& options) {
  command->add_option("--region", options.region, "Region (of the context or AWS profile, or us-east-1)")
      ->each([&options](const std::string&) { options.region_is_given = true; })
      ->type_name("NAME");
}

void add_cluster(CLI::App* command, Options& options) {
  command->add_option("--cluster", options.cluster, "Cluster (of the context, or default)")
      ->each([&options](const std::string&) { options.cluster_is_given = true; })
      ->type_name("NAME");
}

void add_json(CLI::App* command, Options& options) { command->add_flag("--json", options.json, "Print JSON"); }

Command client_command(Options& options, Command action, WhenClosed when_closed) {
  return [&options, action = std::move(action), when_closed] {
    options = connected(std::move(options), client::process_environment());
    return run_with_standard_output(action, when_closed);
  };
}

CLI::App* add_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                     Command action) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->add_option("--data", options.data, "Data folder of a server on this machine")
      ->each([&options](const std::string&) { options.data_is_given = true; })
      ->capture_default_str()
      ->type_name("DIR")
      ->group(kServerGroup);
  sub->add_option("--endpoint", options.endpoint, "Address of a server elsewhere")->type_name("URL")->group(kServerGroup);
  sub->add_option("--profile", options.profile, "AWS profile with its key")->type_name("NAME")->group(kServerGroup);
  sub->add_option("--context", options.context, "Context of `stoker context add`")->type_name("NAME")->group(kServerGroup);
  sub->add_option("--ca-file", options.ca_file, "Trusted certificates of an https endpoint (the system's)")
      ->type_name("FILE")
      ->group(kServerGroup);
  sub->callback([&options, &command, action = std::move(action)] { command = client_command(options, action); });
  return sub;
}

CLI::App* add_cluster_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                             Command action) {
  CLI::App* sub = add_client(app, options, command, name, help, std::move(action));
  add_cluster(sub, options);
  add_region(sub, options);
  add_json(sub, options);
  return sub;
}

}  // namespace cli
