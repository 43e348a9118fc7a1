// SPDX-License-Identifier: Apache-2.0
// Arguments of up, server and agent.
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
  stoker up --listen :4566            reachable from other machines, which join with `stoker token`
)text";

constexpr char kAgentExamples[] = R"text(
Examples:
  STOKER_TOKEN=stk1.... stoker agent --join http://server:4566
  stoker agent --token-file token                  a file with all of the output of `stoker token`
  stoker agent --join https://server:4566 --token-file token --ca ca.pem --name box-b --attribute rack=7

The token, which `stoker token` prints on the server's machine, is exchanged once for a key of this machine, which stays
in the data folder: later starts need no token. The token is in a file or in the environment variable STOKER_TOKEN,
because every user of a machine can read its command lines.

Tasks outlive the agent; the next agent with the same data folder adopts them.
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
          "Level of the log on standard error (info)")
      ->check(CLI::IsMember({"debug", "info", "warn", "error", "off"}));
}

void add_attribute(AgentArguments& agent, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || text.empty()) throw CLI::ValidationError("--attribute", "expected NAME=VALUE, not '" + text + "'");
  agent.attributes[text.substr(0, equals)] = equals == text.npos ? "" : text.substr(equals + 1);
}

void add_tag(AgentArguments& agent, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || text.empty()) throw CLI::ValidationError("--tag", "expected KEY=VALUE, not '" + text + "'");
  agent.tags[text.substr(0, equals)] = equals == text.npos ? "" : text.substr(equals + 1);
}

CLI::Option* add_duration(CLI::App* command, const char* name, base::Duration& into, const char* help) {
  return command
      ->add_option_function<std::string>(
          name, [&into](const std::string& text) { into = *base::parse_duration(text); }, help)
      ->check(check_duration)
      ->type_name("90s|65m|3h");
}

// What keeps tasks of the process driver from the machine and from one another.
void add_task_user_options(CLI::App* command, AgentArguments& agent) {
  command
      ->add_option("--task-user", agent.task_user,
                   "process driver: run all tasks as this user (a user for each task, if the agent runs as root)")
      ->type_name("NAME")
      ->group("Machine");
  command
      ->add_option("--task-uids", agent.task_uids,
                   "process driver: the range of those users (2000000000-2000065535)")
      ->type_name("FIRST-LAST")
      ->group("Machine");
  command
      ->add_option("--hide", agent.hidden,
                   "process driver: a folder or file that tasks must not see, beside those of agent and server. Repeatable")
      ->allow_extra_args(false)
      ->type_name("PATH")
      ->group("Machine");
}

// Options that `stoker up` and `stoker agent` share.
void add_machine_options(CLI::App* command, AgentArguments& agent) {
  command->add_option("--name", agent.name, "Name of the machine (its host name)")->group("Machine");
  command->add_option("--gpus", agent.gpus, "auto, none, a list (0,1), or simulated: fake:8xV100")
      ->capture_default_str()
      ->group("Machine");
  command->add_option("--driver", agent.driver, "Container driver; auto is docker, or the one that was used before")
      ->check(CLI::IsMember({"auto", "docker", "process"}))
      ->capture_default_str()
      ->group("Machine");
  add_task_user_options(command, agent);
  command
      ->add_option("--image-pull", agent.image_pull,
                   "When images are pulled: for each task (default: the machine's image if that fails), once per "
                   "machine, or only where missing")
      ->check(CLI::IsMember({"default", "always", "once", "prefer-cached"}))
      ->capture_default_str()
      ->group("Machine");
  command
      ->add_flag("--gpu-default-runtime", agent.gpu_default_runtime,
                 "Containers without GPUs see all GPUs, as on Amazon's GPU images")
      ->group("Machine");
  command->add_option("--cpu", agent.cpu_units, "CPU units for tasks, 1024 per core (all)")
      ->check(CLI::Range(std::int64_t{1}, kMaxUnits))
      ->type_name("UNITS")
      ->group("Machine");
  command->add_option("--memory", agent.memory_mib, "Memory for tasks (all)")
      ->check(CLI::Range(std::int64_t{1}, kMaxUnits))
      ->type_name("MiB")
      ->group("Machine");
  command
      ->add_option_function<std::vector<std::string>>(
          "--attribute",
          [&agent](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add_attribute(agent, text);
          },
          "Attribute for placement constraints. Repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE")
      ->group("Machine");
  command
      ->add_option("--metrics-listen", agent.metrics_listen,
                   "Where GPU metrics are served in dcgm-exporter's format, at /metrics; none: nowhere")
      ->capture_default_str()
      ->type_name("ADDR:PORT")
      ->group("Machine");
  command
      ->add_option_function<std::string>(
          "--keep-stopped", [&agent](const std::string& text) { agent.keep_stopped = *base::parse_duration(text); },
          "How long containers and logs of a stopped task are kept (3h)")
      ->check(check_duration)
      ->type_name("90s|65m|3h")
      ->group("Machine");
  command
      ->add_option("--max-logs", agent.max_logs_mib,
                   "With more logs the oldest stopped tasks are deleted (a tenth of the disk, at most 10 GiB)")
      ->check(CLI::Range(std::int64_t{1}, kMaxUnits))
      ->type_name("MiB")
      ->group("Machine");
}

// How tasks, and the machine itself, end.
void add_end_options(CLI::App* command, AgentArguments& agent) {
  command
      ->add_option_function<std::vector<std::string>>(
          "--tag",
          [&agent](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add_tag(agent, text);
          },
          "Tag of the container instance. Repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE")
      ->group("Machine");
  add_duration(command, "--stop-timeout", agent.stop_timeout, "Time that containers without a stopTimeout get to stop (30s)")
      ->group("Machine");
  command
      ->add_flag("--ephemeral", agent.ephemeral,
                 "The machine ends with the agent: on SIGTERM stop all tasks and delete the data folder")
      ->group("Machine");
  add_duration(command, "--shutdown-timeout", agent.shutdown_timeout,
               "With --ephemeral: the longest time that a container gets to stop (30s)")
      ->group("Machine");
  command
      ->add_flag("--clean-up", agent.clean_up,
                 "Do not join: end the tasks that an agent left in the data folder, and delete the folder")
      ->group("Machine");
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Secrets come from the environment: every user of a machine can read its command lines.
void add_object_options(CLI::App* command, ServerArguments& server) {
  command
      ->add_option("--objects-endpoint", server.objects_endpoint,
                   "Use an external S3 (Amazon's, Ceph's) that every machine can reach; its keys are "
                   "$STOKER_OBJECTS_ACCESS_KEY_ID and $STOKER_OBJECTS_SECRET_ACCESS_KEY")
      ->check(check_endpoint)
      ->type_name("URL")
      ->group("Objects");
  command->add_option("--objects-region", server.objects_region, "Region of that S3")
      ->capture_default_str()
      ->group("Objects");
  command
      ->add_option("--objects-allow", server.objects_allow,
                   "Let tasks of an account read environment files from a bucket there; * is all buckets")
      ->type_name("ACCOUNT=BUCKET")
      ->take_all()
      ->group("Objects");
  server.objects_access_key_id = environment_variable("STOKER_OBJECTS_ACCESS_KEY_ID");
  server.objects_secret_access_key = environment_variable("STOKER_OBJECTS_SECRET_ACCESS_KEY");
}

void add_limit_options(CLI::App* command, ServerArguments& server) {
  constexpr std::size_t kMostConnections = 1000000;
  command
      ->add_option("--max-connections", server.max_connections,
                   "Open connections; a sixth is for agents, a sixth for clients that have not shown a key")
      ->check(CLI::Range(std::size_t{24}, kMostConnections))
      ->capture_default_str()
      ->group("Limits");
  command
      ->add_option("--max-connections-per-address", server.max_per_address,
                   "Connections of one address that have not shown a key (a 24th of all)")
      ->check(CLI::Range(std::size_t{1}, kMostConnections))
      ->group("Limits");
  command
      ->add_option("--max-connections-per-account", server.max_per_account,
                   "Connections of one account, without its agents (half of all)")
      ->check(CLI::Range(std::size_t{1}, kMostConnections))
      ->group("Limits");
  command
      ->add_option("--max-unverified-bodies", server.unverified_body_mib,
                   "Memory for bodies of requests whose signature is not verified yet; a quarter of it per address")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20))
      ->type_name("MiB")
      ->capture_default_str()
      ->group("Limits");
  command
      ->add_option("--max-bodies", server.account_body_mib,
                   "Memory for requests of accounts, and for responses that are not read yet; half of it per account")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20))
      ->type_name("MiB")
      ->capture_default_str()
      ->group("Limits");
  command
      ->add_option("--metrics-token-file", server.metrics_token_file,
                   "Serve /metrics only to requests with the token of this file, as `Authorization: Bearer TOKEN`")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
}

void add_server_options(CLI::App* command, ServerArguments& server) {
  command->add_option("--data", server.data, "The data folder")->capture_default_str()->type_name("DIR");
  command
      ->add_option("--store", server.store,
                   "Keep state in this PostgreSQL database instead of SQLite in the data folder; "
                   "a password is best left to PGPASSWORD or ~/.pgpass")
      ->check(check_store)
      ->type_name("postgresql://...");
  command->add_option("--listen", server.listen, "Address and port; port 0 chooses a free one")
      ->capture_default_str()
      ->type_name("ADDR:PORT");
  auto* certificate =
      command->add_option("--tls-cert", server.tls_certificate, "Serve HTTPS with this certificate chain (PEM)");
  auto* key = command->add_option("--tls-key", server.tls_key, "Private key of the certificate (PEM)");
  certificate->needs(key);
  key->needs(certificate);
  command->add_option("--account", server.account, "Account of the root key, set at the first start (000000000000)")
      ->check(check_account)
      ->type_name("12 DIGITS");
  command->add_option("--threads", server.threads, "Threads that serve connections; 0: one per core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--lost-after", [&server](const std::string& text) { server.lost_after = *base::parse_duration(text); },
          "How long a machine may be lost before its tasks are abandoned (65m)")
      ->check(check_duration)
      ->type_name("90s|65m|2h");
  command
      ->add_option_function<std::string>(
          "--exec-idle-timeout", [&server](const std::string& text) { server.exec_idle = *base::parse_duration(text); },
          "When a session of exec without input and output ends (20m)")
      ->check(check_duration)
      ->type_name("90s|20m|2h");
  command
      ->add_option_function<std::string>(
          "--exec-max-duration", [&server](const std::string& text) { server.exec_longest = *base::parse_duration(text); },
          "When any session of exec ends (never)")
      ->check(check_duration)
      ->type_name("90s|65m|2h");
  command
      ->add_option_function<std::string>(
          "--tracking-period",
          [&server](const std::string& text) { server.tracking_period = *base::parse_duration(text); },
          "Period of the alarms of target tracking policies (60s): with 10s they scale out after half a minute")
      ->check(CLI::IsMember({"10s", "20s", "30s", "60s"}))
      ->type_name("10s|20s|30s|60s");
  command->add_option("--domain", server.domains, "Also serve buckets as BUCKET.NAME. Repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group("Objects");
  command
      ->add_flag("--no-test-events", server.no_test_events,
                 "Do not send s3:TestEvent when a bucket's notifications are configured")
      ->group("Objects");
  command->add_flag("--webhook-private-networks", server.webhook_private_networks,
                    "Webhooks may be sent to this machine and to private networks (never to metadata services)");
  add_limit_options(command, server);
  add_object_options(command, server);
  add_disk_options(command, server);
  add_quota_options(command, server);
  add_provider_options(command, server.provider);
  add_log_level(command, server.log_level);
}

}  // namespace

CLI::App* add_up(CLI::App& app, ServerArguments& server, AgentArguments& agent) {
  CLI::App* up = app.add_subcommand("up", "Run a server and an agent until SIGTERM or Ctrl-C");
  add_server_options(up, server);
  up->add_flag("--no-agent", server.no_agent, "Do not run an agent; machines join with `stoker agent`");
  up->add_option("--region", agent.region, "The region that the machine joins")->capture_default_str();
  add_machine_options(up, agent);
  up->footer(kUpExamples);
  return up;
}

CLI::App* add_server(CLI::App& app, ServerArguments& server) {
  CLI::App* command = app.add_subcommand("server", "Run a server without an agent until SIGTERM or Ctrl-C");
  add_server_options(command, server);
  return command;
}

CLI::App* add_agent(CLI::App& app, AgentArguments& agent) {
  CLI::App* command = app.add_subcommand("agent", "Join this machine to a server until SIGTERM or Ctrl-C");
  command->add_option("--join", agent.join, "Address of the server (that in the token file)")->type_name("URL");
  command->add_option("--token-file", agent.token_file, "A file with the output of `stoker token`; else $STOKER_TOKEN")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  agent.token = environment_variable("STOKER_TOKEN");
  command->add_option("--cluster", agent.cluster, "The cluster to join")
      ->each([&agent](const std::string&) { agent.cluster_is_given = true; })
      ->capture_default_str();
  command->add_option("--data", agent.data, "Data folder of this agent")->capture_default_str()->type_name("DIR");
  command->add_option("--region", agent.region, "The region")
      ->each([&agent](const std::string&) { agent.region_is_given = true; })
      ->capture_default_str();
  command->add_option("--ca,--ca-file", agent.ca_file, "https: trust these certificates (PEM) instead of the system's")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  add_machine_options(command, agent);
  command->add_option("--reserved-memory", agent.reserved_memory_mib, "Memory that tasks do not get")
      ->check(CLI::Range(std::int64_t{0}, kMaxUnits))
      ->type_name("MiB")
      ->capture_default_str()
      ->group("Machine");
  command->add_option("--min-free-disk", agent.min_free_disk_mib, "With less free space it accepts no tasks")
      ->check(CLI::Range(std::int64_t{0}, kMaxUnits))
      ->type_name("MiB")
      ->capture_default_str()
      ->group("Machine");
  command->add_option("--instance-type", agent.instance_type, "Attribute ecs.instance-type")->group("Machine");
  command->add_option("--availability-zone", agent.availability_zone, "Attribute ecs.availability-zone (REGIONa)")
      ->group("Machine");
  add_end_options(command, agent);
  add_log_level(command, agent.log_level);
  command->footer(kAgentExamples);
  return command;
}

}  // namespace cli
