// SPDX-License-Identifier: Apache-2.0
// Arguments of env, status, key, webhook, token and scrub.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/checks.h"

namespace cli {
namespace {

void add_region(CLI::App* command, Options& options) {
  command->add_option("--region", options.region, "The region")->capture_default_str();
}

void add_json(CLI::App* command, Options& options) { command->add_flag("--json", options.json, "Print JSON"); }

void add_keys(CLI::App& app, Options& options, Command& command) {
  struct KeyArguments {
    std::optional<std::string> account;
    std::string id;
  };
  auto given = std::make_shared<KeyArguments>();  // shared with the commands
  CLI::App* key = app.add_subcommand("key", "Create, import, list and delete access keys");
  key->require_subcommand(1);
  CLI::App* create = add_client(*key, options, command, "create", "Create a key and print it",
                                [&, given] { return key_create(options, given->account, std::cout); });
  CLI::App* import = add_client(*key, options, command, "import", "Read lines of `ID SECRET` from standard input",
                                [&, given] { return key_import(options, given->account, std::cin, std::cout); });
  CLI::App* list = add_client(*key, options, command, "list", "List the keys, without their secrets",
                              [&] { return key_list(options, std::cout); });
  CLI::App* remove =
      add_client(*key, options, command, "delete", "Delete a key; requests signed with it are then rejected",
                 [&, given] { return key_delete(options, given->id, std::cout); });
  remove->add_option("id", given->id, "Access key id")->required();
  for (CLI::App* sub : {create, import}) {
    sub->add_option("--account", given->account, "Account of the keys (the root key's)")
        ->check(check_account)
        ->type_name("12 DIGITS");
  }
  for (CLI::App* sub : {create, import, list, remove}) add_json(sub, options);
}

void add_webhooks(CLI::App& app, Options& options, Command& command) {
  struct WebhookArguments {
    std::string name, url;
  };
  auto given = std::make_shared<WebhookArguments>();  // shared with the commands
  CLI::App* webhook = app.add_subcommand("webhook", "Create, list and delete webhooks: targets of alarms' actions");
  webhook->require_subcommand(1);
  CLI::App* create = add_client(*webhook, options, command, "create", "Create a webhook; print its ARN and its secret",
                                [&, given] { return webhook_create(options, given->name, given->url, std::cout); });
  CLI::App* list = add_client(*webhook, options, command, "list", "List the webhooks, without their secrets",
                              [&] { return webhook_list(options, std::cout); });
  CLI::App* remove = add_client(*webhook, options, command, "delete", "Delete a webhook",
                                [&, given] { return webhook_delete(options, given->name, std::cout); });
  for (CLI::App* sub : {create, remove}) sub->add_option("name", given->name, "Name of the webhook")->required();
  create->add_option("url", given->url, "Where to send POST requests")->required();
  for (CLI::App* sub : {create, list, remove}) {
    add_region(sub, options);
    add_json(sub, options);
  }
}

}  // namespace

std::string default_data() {
  if (const char* folder = std::getenv("STOKER_DATA")) return folder;
  const char* home = std::getenv("HOME");
  return std::string(home ? home : ".") + "/.stoker";
}

CLI::App* add_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                     Command action) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->add_option("--data", options.data, "The data folder")->capture_default_str()->type_name("DIR");
  sub->callback([&command, action = std::move(action)] { command = action; });
  return sub;
}

void add_server_commands(CLI::App& app, Options& options, Command& command) {
  CLI::App* environment =
      add_client(app, options, command, "env", "Print the exports that configure AWS clients for this server",
                 [&] { return env(options, std::cout); });
  CLI::App* state = add_client(app, options, command, "status", "Show whether Stoker runs, and its queues",
                               [&] { return status(options, std::cout); });
  CLI::App* join = add_client(app, options, command, "token", "Create a join token for a machine",
                              [&] { return token(options, std::cout); });
  join->add_option("--cluster", options.cluster, "The cluster to join")->capture_default_str();
  CLI::App* objects =
      add_client(app, options, command, "scrub", "Verify the bytes of all objects; exit status 1 when some are damaged",
                 [&] { return scrub(options, std::cout); });
  for (CLI::App* sub : {environment, state, join}) add_region(sub, options);
  for (CLI::App* sub : {state, join, objects}) add_json(sub, options);
  add_keys(app, options, command);
  add_webhooks(app, options, command);
}

}  // namespace cli
