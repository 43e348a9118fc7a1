// SPDX-License-Identifier: Apache-2.0
// Arguments of env, status, usage, key, webhook, token and scrub.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "base/duration.h"
#include "cli/arguments.h"
#include "cli/checks.h"

namespace cli {
namespace {

void add_keys(CLI::App& app, Options& options, Command& command) {
  struct KeyArguments {
    std::optional<std::string> account, cluster;
    std::string id;
    bool agent = false;
  };
  auto given = std::make_shared<KeyArguments>();  // shared with the commands
  CLI::App* key = app.add_subcommand("key", "Create, import, list and delete access keys");
  key->require_subcommand(1);
  CLI::App* create = add_client(*key, options, command, "create", "Create a key and print it",
                                [&, given] {
                                  if (!given->agent) return key_create(options, given->account, std::cout);
                                  return key_create_for_agent(options, given->account, given->cluster, std::cout);
                                });
  auto* agent = create->add_flag("--agent", given->agent,
                                 "A key that can only act as the agent of one machine, for Amazon's ECS agent");
  create->add_option("--cluster", given->cluster, "With --agent: only this cluster")->needs(agent);
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

void add_tokens(CLI::App& app, Options& options, Command& command) {
  struct Given {
    TokenArguments token;
    std::string id;
  };
  auto given = std::make_shared<Given>();  // shared with the commands
  auto create = [&options, given] { return token_create(options, given->token, std::cout); };
  CLI::App* token = add_client(app, options, command, "token", "Create a join token for a machine; list or revoke tokens",
                               create);
  token->require_subcommand(0, 1);
  // This callback runs after a subcommand's callback and must not override it.
  token->callback([&options, &command, token, create] {
    if (token->get_subcommands().empty()) command = client_command(options, create);
  });
  token->add_option("--cluster", given->token.cluster, "Machines may join only this cluster (any)");
  token->add_option("--account", given->token.account, "Account of the machines (the root key's)")
      ->check(check_account)
      ->type_name("12 DIGITS");
  token
      ->add_option_function<std::string>(
          "--ttl", [given](const std::string& text) { given->token.ttl = *base::parse_duration(text); },
          "How long the token is valid (1h)")
      ->check(check_duration)
      ->type_name("10m|1h|30h");
  token->add_option("--uses", given->token.uses, "How many machines may join with it")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  CLI::App* list = add_client(*token, options, command, "list", "List the tokens of the last day, without their secrets",
                              [&] { return token_list(options, std::cout); });
  CLI::App* revoke = add_client(*token, options, command, "revoke", "End a token; machines that have joined stay",
                                [&, given] { return token_revoke(options, given->id, std::cout); });
  revoke->add_option("id", given->id, "Id of the token: the part between the dots")->required();
  for (CLI::App* sub : {token, list, revoke}) {
    add_region(sub, options);
    add_json(sub, options);
  }
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

void add_server_commands(CLI::App& app, Options& options, Command& command) {
  CLI::App* environment =
      add_client(app, options, command, "env", "Print the exports that configure AWS clients for this server",
                 [&] { return env(options, std::cout); });
  CLI::App* state = add_client(app, options, command, "status", "Show whether Stoker runs, and its queues",
                               [&] { return status(options, std::cout); });
  CLI::App* objects =
      add_client(app, options, command, "scrub", "Verify the bytes of all objects; exit status 1 when some are damaged",
                 [&] { return scrub(options, std::cout); });
  CLI::App* end = add_client(app, options, command, "down", "Stop the server of this machine; tasks go on",
                             [&] { return down(options, std::cout); });
  CLI::App* used = add_client(app, options, command, "usage", "Show what each account stores, and its quotas",
                              [&] { return account_usage(options, std::cout); });
  for (CLI::App* sub : {environment, state, end}) add_region(sub, options);
  for (CLI::App* sub : {environment, state, objects, used, end}) add_json(sub, options);
  add_backup_commands(app, options, command);
  add_keys(app, options, command);
  add_tokens(app, options, command);
  add_webhooks(app, options, command);
  add_place_commands(app, options, command);
  add_data_commands(app, options, command);
}

}  // namespace cli
