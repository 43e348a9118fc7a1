// SPDX-License-Identifier: Apache-2.0
// Arguments of up, server and agent: what runs until it is told to stop.
#include <cstdlib>

#include "base/duration.h"
#include "cli/arguments.h"
#include "cli/checks.h"

namespace cli {
namespace {

constexpr char kUpExamples[] = R"text(
Examples:
  stoker up                           a server and an agent, with this machine's GPUs
  stoker up --gpus fake:8xV100        the same with eight simulated GPUs
  stoker up --listen :4566            reachable from other machines, which join by `stoker token`
)text";

constexpr char kAgentExamples[] = R"text(
Examples:
  stoker agent --join http://server:4566 --token stk1....
  STOKER_TOKEN=stk1.... stoker agent --join https://server:4566 --ca ca.pem --name box-b --attribute rack=7

Tasks go on when the agent ends; the next one on its data folder takes them over.
)text";

constexpr std::int64_t kMaxUnits = 1 << 30;

void add_log_level(CLI::App* command, base::LogLevel& level) {
  const std::map<std::string, base::LogLevel> levels{{"debug", base::LogLevel::Debug},
                                                     {"info", base::LogLevel::Info},
                                                     {"warn", base::LogLevel::Warn},
                                                     {"error", base::LogLevel::Error},
                                                     {"off", base::LogLevel::Off}};
  command
      ->add_option_function<std::string>(
          "--log-level", [&level, levels](const std::string& name) { level = levels.at(name); },
          "What is logged to standard error (info)")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}));
}

void add_attribute(AgentArguments& agent, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || text.empty()) throw CLI::ValidationError("--attribute", "it is NAME=VALUE, not '" + text + "'");
  agent.attributes[text.substr(0, equals)] = equals == text.npos ? "" : text.substr(equals + 1);
}

// What `stoker up` has of these, too.
void add_machine(CLI::App* command, AgentArguments& agent) {
  command->add_option("--name", agent.name, "The machine's name (its host name)")->group("Machine");
  command->add_option("--gpus", agent.gpus, "auto, none, or simulated ones: fake:8xV100")
      ->capture_default_str()
      ->group("Machine");
  command->add_option("--driver", agent.driver, "What runs containers; auto is docker where it answers, else process")
      ->check(CLI::IsMember({"auto", "docker", "process"}))
      ->capture_default_str()
      ->group("Machine");
  command->add_flag("--gpu-default-runtime", agent.gpu_default_runtime,
                    "Containers that ask for no GPU see all of them, as on Amazon's GPU images")
      ->group("Machine");
  command->add_option("--cpu", agent.cpu_units, "Units to give to tasks, 1024 a core (all)")
      ->check(CLI::Range(std::int64_t{1}, kMaxUnits))
      ->type_name("UNITS")
      ->group("Machine");
  command->add_option("--memory", agent.memory_mib, "Memory to give to tasks (all)")
      ->check(CLI::Range(std::int64_t{1}, kMaxUnits))
      ->type_name("MiB")
      ->group("Machine");
  command
      ->add_option_function<std::vector<std::string>>(
          "--attribute",
          [&agent](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add_attribute(agent, text);
          },
          "An attribute that placement constraints can name; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE")
      ->group("Machine");
  command
      ->add_option_function<std::string>(
          "--keep-stopped", [&agent](const std::string& text) { agent.keep_stopped = *base::parse_duration(text); },
          "How long a stopped task's containers and logs are kept (3h)")
      ->check(check_duration)
      ->type_name("90s|65m|3h")
      ->group("Machine");
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A command line can be read by everybody on its machine, so no secret is ever in it.
void add_objects(CLI::App* command, ServerArguments& server) {
  command
      ->add_option("--objects-endpoint", server.objects_endpoint,
                   "An S3 that every machine reaches (Amazon's, Ceph's), in place of Stoker's own; its keys are "
                   "$STOKER_OBJECTS_ACCESS_KEY_ID and $STOKER_OBJECTS_SECRET_ACCESS_KEY")
      ->check(check_endpoint)
      ->type_name("URL")
      ->group("Objects");
  command->add_option("--objects-region", server.objects_region, "The region that it is asked in")
      ->capture_default_str()
      ->group("Objects");
  server.objects_access_key_id = variable("STOKER_OBJECTS_ACCESS_KEY_ID");
  server.objects_secret_access_key = variable("STOKER_OBJECTS_SECRET_ACCESS_KEY");
}

void add_server_options(CLI::App* command, ServerArguments& server) {
  command->add_option("--data", server.data, "The data folder")->capture_default_str()->type_name("DIR");
  command
      ->add_option("--store", server.store,
                   "Keep state in this PostgreSQL database instead of SQLite in the data folder; "
                   "a password is best left to PGPASSWORD or ~/.pgpass")
      ->check(check_store)
      ->type_name("postgresql://...");
  command->add_option("--listen", server.listen, "Address and port; port 0 takes any")
      ->capture_default_str()
      ->type_name("ADDR:PORT");
  auto* certificate =
      command->add_option("--tls-cert", server.tls_certificate, "Serve HTTPS with this certificate chain (PEM)");
  auto* key = command->add_option("--tls-key", server.tls_key, "and its private key (PEM)");
  certificate->needs(key);
  key->needs(certificate);
  command->add_option("--account", server.account, "Account of the root key, which is made at first start (000000000000)")
      ->check(check_account)
      ->type_name("12 DIGITS");
  command->add_option("--threads", server.threads, "Threads that serve connections; 0 is one for each core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--lost-after", [&server](const std::string& text) { server.lost_after = *base::parse_duration(text); },
          "How long a machine may be away before its tasks are given up (65m)")
      ->check(check_duration)
      ->type_name("90s|65m|2h");
  command->add_option("--domain", server.domains, "Buckets are reached as BUCKET.NAME, too; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group("Objects");
  command->add_flag("--no-test-events", server.no_test_events,
                    "Send no s3:TestEvent to queues when a bucket's notifications are set up")
      ->group("Objects");
  add_objects(command, server);
  add_log_level(command, server.log_level);
}

}  // namespace

CLI::App* add_up(CLI::App& app, ServerArguments& server, AgentArguments& agent) {
  CLI::App* up = app.add_subcommand("up", "Start a server with an agent inside, until SIGTERM or Ctrl-C");
  add_server_options(up, server);
  up->add_flag("--no-agent", server.no_agent, "Start no agent: machines join by `stoker agent`");
  up->add_option("--region", agent.region, "The region that the machine joins")->capture_default_str();
  add_machine(up, agent);
  up->footer(kUpExamples);
  return up;
}

CLI::App* add_server(CLI::App& app, ServerArguments& server) {
  CLI::App* command = app.add_subcommand("server", "Start a server without an agent, until SIGTERM or Ctrl-C");
  add_server_options(command, server);
  return command;
}

CLI::App* add_agent(CLI::App& app, AgentArguments& agent) {
  CLI::App* command = app.add_subcommand("agent", "Make this machine one of a server's, until SIGTERM or Ctrl-C");
  command->add_option("--join", agent.join, "The server's address")->required()->type_name("URL");
  command->add_option("--token", agent.token, "What `stoker token` printed there")->required()->envname("STOKER_TOKEN");
  command->add_option("--cluster", agent.cluster, "The cluster to join")->capture_default_str();
  command->add_option("--data", agent.data, "A folder of this agent's own")->capture_default_str()->type_name("DIR");
  command->add_option("--region", agent.region, "The region that clients name")->capture_default_str();
  command->add_option("--ca", agent.ca_file, "https: trust these certificates (PEM), not the system's")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  add_machine(command, agent);
  command->add_option("--reserved-memory", agent.reserved_memory_mib, "Of all memory, what tasks do not get")
      ->check(CLI::Range(std::int64_t{0}, kMaxUnits))
      ->type_name("MiB")
      ->capture_default_str()
      ->group("Machine");
  command->add_option("--instance-type", agent.instance_type, "Attribute ecs.instance-type")->group("Machine");
  command->add_option("--availability-zone", agent.availability_zone, "Attribute ecs.availability-zone (the region's a)")
      ->group("Machine");
  add_log_level(command, agent.log_level);
  command->footer(kAgentExamples);
  return command;
}

}  // namespace cli
