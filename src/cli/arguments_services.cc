// SPDX-License-Identifier: Apache-2.0
// Arguments of services and service.
#include <iostream>
#include <memory>

#include "cli/arguments.h"

namespace cli {
namespace {

constexpr char kUpdateExamples[] = R"text(
Examples:
  stoker service update web --task-definition web    the latest revision
  stoker service update web --force                  the same revision again
  stoker service update web --min 0 --max 100        stop old tasks first
)text";

constexpr char kServiceExamples[] = R"text(
Examples:
  stoker service scale web 3
  stoker service update web --task-definition web:4
  stoker service rollback web
  stoker service events -f web

`stoker explain service web` shows what a service does and waits for.
)text";

constexpr int kMaxTasks = 5000;  // Amazon's limit of a service

CLI::App* add_service_client(CLI::App& service, Options& options, Command& command, std::string& name,
                             const char* subcommand, const char* help, Command action) {
  CLI::App* sub = add_cluster_client(service, options, command, subcommand, help, std::move(action));
  sub->add_option("service", name, "Name of the service, or its ARN")->required();
  return sub;
}

void add_update(CLI::App& service, Options& options, Command& command) {
  auto given = std::make_shared<ServiceUpdate>();  // shared with the command
  CLI::App* sub = add_service_client(service, options, command, given->service, "update",
                                     "Deploy a revision, or change the percentages",
                                     [&options, given] { return service_update(options, *given, std::cout); });
  sub->add_option("--task-definition", given->task_definition, "Family or family:revision")->type_name("TD");
  sub->add_flag("--force", given->force, "Replace all tasks even if nothing changed");
  sub->add_option("--min", given->minimum_percent, "minimumHealthyPercent: tasks to keep running")
      ->check(CLI::Range(0, 100))
      ->type_name("PCT");
  sub->add_option("--max", given->maximum_percent, "maximumPercent: tasks allowed at a time")
      ->check(CLI::PositiveNumber)
      ->type_name("PCT");
  sub->footer(kUpdateExamples);
}

}  // namespace

void add_service_commands(CLI::App& app, Options& options, Command& command) {
  add_cluster_client(app, options, command, "services", "List services",
                     [&options] { return services(options, std::cout); });
  CLI::App* service = app.add_subcommand("service", "Scale, update, roll back, watch or delete a service");
  service->require_subcommand(1);
  service->footer(kServiceExamples);

  struct ServiceArguments {
    std::string name;
    int count = 0;
    bool follow = false, force = false;
  };
  auto given = std::make_shared<ServiceArguments>();
  auto add = [&](const char* name, const char* help, Command action) {
    return add_service_client(*service, options, command, given->name, name, help, std::move(action));
  };
  add("scale", "Set the number of tasks",
      [&options, given] { return service_scale(options, given->name, given->count, std::cout); })
      ->add_option("count", given->count, "Desired number of tasks")
      ->required()
      ->check(CLI::Range(0, kMaxTasks));
  add_update(*service, options, command);
  add("rollback", "Return to the previous task definition",
      [&options, given] { return service_rollback(options, given->name, std::cout); });
  add("events", "Print the events of a service, newest last", [&options, given] {
    return service_events(options, given->name, given->follow, std::cout);
  })->add_flag("-f,--follow", given->follow, "Follow until the service is deleted");
  add("delete", "Delete a service", [&options, given] {
    return service_delete(options, given->name, given->force, std::cout);
  })->add_flag("--force", given->force, "Even if its desired count is above 0: its tasks are stopped");
}

}  // namespace cli
