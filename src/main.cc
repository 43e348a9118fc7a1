// SPDX-License-Identifier: Apache-2.0
// The command line: subcommand -> control or cli.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "cli/commands.h"
#include "control/start.h"
#include "wire/error.h"

namespace {

constexpr char kExamples[] = R"text(
Examples:
  stoker up                            start here, on 127.0.0.1:4566
  eval "$(stoker env)"                 point stock clients at it
  aws sqs create-queue --queue-name q  and use them
  echo "AKIA... SECRET" | stoker key import --account 123456789012
)text";

std::string default_data() {
  if (const char* folder = std::getenv("STOKER_DATA")) return folder;
  const char* home = std::getenv("HOME");
  return std::string(home ? home : ".") + "/.stoker";
}

struct Arguments {
  control::Config config;
  cli::Options options;
  std::string listen = "127.0.0.1:4566";
  std::string log_level = "info";
  std::optional<std::string> account;
  std::string key_id;
  std::function<int()> command;
};

base::LogLevel parse_level(const std::string& name) {
  if (name == "debug") return base::LogLevel::Debug;
  if (name == "warn") return base::LogLevel::Warn;
  if (name == "error") return base::LogLevel::Error;
  if (name == "off") return base::LogLevel::Off;
  return base::LogLevel::Info;
}

int run_up(Arguments& arguments) {
  auto listen = control::parse_listen(arguments.listen);
  if (!listen) throw std::runtime_error(listen.error());
  arguments.config.address = listen->address;
  arguments.config.port = listen->port;
  arguments.config.data = arguments.options.data;
  arguments.config.log_level = parse_level(arguments.log_level);
  if (arguments.account) arguments.config.account = *arguments.account;
  return control::up(arguments.config, STOKER_VERSION);
}

std::string check_account(const std::string& account) {
  const bool valid = account.size() == 12 && account.find_first_not_of("0123456789") == account.npos;
  return valid ? "" : "an account is 12 digits";
}

void add_data(CLI::App* command, Arguments& arguments) {
  command->add_option("--data", arguments.options.data, "The data folder")->capture_default_str()->type_name("DIR");
}

void add_up(CLI::App& app, Arguments& arguments) {
  CLI::App* up = app.add_subcommand("up", "Start Stoker and run until SIGTERM or Ctrl-C");
  add_data(up, arguments);
  up->add_option("--listen", arguments.listen, "Address and port; port 0 takes any")
      ->capture_default_str()
      ->type_name("ADDR:PORT");
  auto* certificate =
      up->add_option("--tls-cert", arguments.config.tls_certificate, "Serve HTTPS with this certificate chain (PEM)");
  auto* key = up->add_option("--tls-key", arguments.config.tls_key, "and its private key (PEM)");
  certificate->needs(key);
  key->needs(certificate);
  up->add_option("--account", arguments.account, "Account of the root key, which is made at first start (000000000000)")
      ->check(check_account)
      ->type_name("12 DIGITS");
  up->add_option("--threads", arguments.config.threads, "Threads that serve connections; 0 is one for each core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  up->add_option("--log-level", arguments.log_level, "What is logged to standard error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}))
      ->capture_default_str();
  up->callback([&] { arguments.command = [&] { return run_up(arguments); }; });
}

CLI::App* add_client(CLI::App& app, Arguments& arguments, const char* name, const char* help,
                     std::function<int()> command) {
  CLI::App* sub = app.add_subcommand(name, help);
  add_data(sub, arguments);
  sub->callback([&arguments, command = std::move(command)] { arguments.command = command; });
  return sub;
}

void add_keys(CLI::App& app, Arguments& arguments) {
  CLI::App* key = app.add_subcommand("key", "Make, import, list and delete access keys");
  key->require_subcommand(1);
  auto add_account = [&](CLI::App* command) {
    command->add_option("--account", arguments.account, "The account that they belong to; the root key's where absent")
        ->check(check_account)
        ->type_name("12 DIGITS");
  };
  auto add_json = [&](CLI::App* command) { command->add_flag("--json", arguments.options.json, "Print JSON"); };
  CLI::App* create = add_client(*key, arguments, "create", "Make a key and print it", [&] {
    return cli::key_create(arguments.options, arguments.account, std::cout);
  });
  CLI::App* import = add_client(*key, arguments, "import", "Read lines of `ID SECRET` from standard input", [&] {
    return cli::key_import(arguments.options, arguments.account, std::cin, std::cout);
  });
  CLI::App* list = add_client(*key, arguments, "list", "List the keys, without their secrets",
                              [&] { return cli::key_list(arguments.options, std::cout); });
  CLI::App* remove = add_client(*key, arguments, "delete", "Delete a key: from then on it opens nothing", [&] {
    return cli::key_delete(arguments.options, arguments.key_id, std::cout);
  });
  remove->add_option("id", arguments.key_id, "The access key's id")->required();
  for (CLI::App* command : {create, import}) add_account(command);
  for (CLI::App* command : {create, import, list, remove}) add_json(command);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Stoker keeps GPUs fed: a control plane for GPU work that speaks Amazon's protocols.", "stoker");
  app.set_version_flag("--version", std::string("stoker ") + STOKER_VERSION);
  app.require_subcommand(1);
  app.footer(kExamples);
  Arguments arguments;
  arguments.options.data = default_data();
  add_up(app, arguments);
  CLI::App* env = add_client(app, arguments, "env", "Print the exports that point stock clients here",
                             [&] { return cli::env(arguments.options, std::cout); });
  CLI::App* status = add_client(app, arguments, "status", "Show whether Stoker runs, and its queues",
                                [&] { return cli::status(arguments.options, std::cout); });
  status->add_flag("--json", arguments.options.json, "Print JSON");
  for (CLI::App* command : {env, status}) {
    command->add_option("--region", arguments.options.region, "The region that clients name")->capture_default_str();
  }
  add_keys(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return arguments.command();
  } catch (const wire::ApiError& error) {
    std::fprintf(stderr, "stoker: %s: %s\n", error.code().c_str(), error.message().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stoker: %s\n", error.what());
  }
  return 1;
}
