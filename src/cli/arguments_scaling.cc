// SPDX-License-Identifier: Apache-2.0
// Arguments of groups, group and scaling.
#include <iostream>
#include <memory>

#include "cli/arguments.h"

namespace cli {
namespace {

constexpr char kGroupExamples[] = R"text(
Examples:
  stoker group show gpu
  stoker group set gpu --max 8
  stoker group set gpu --min 0 --desired 0      all machines go

`stoker explain group gpu` shows what a group waits for.
)text";

constexpr char kScalingExamples[] = R"text(
Examples:
  stoker scaling                      the last 20 changes, newest first
  stoker scaling --group gpu -n 100
  stoker scaling --service web --json
)text";

constexpr int kMaxMachines = 1 << 20;
constexpr std::size_t kMaxChanges = 1000;

void add_group_set(CLI::App& group, Options& options, Command& command) {
  auto given = std::make_shared<GroupSizes>();  // shared with the command
  CLI::App* sub = add_cluster_client(group, options, command, "set", "Change the sizes of a group",
                                     [&options, given] { return group_set(options, *given, std::cout); });
  sub->add_option("group", given->group, "Name of the group")->required();
  sub->add_option("--min", given->min, "Fewest machines")->check(CLI::Range(0, kMaxMachines));
  sub->add_option("--max", given->max, "Most machines")->check(CLI::Range(0, kMaxMachines));
  sub->add_option("--desired", given->desired, "Machines now")->check(CLI::Range(0, kMaxMachines));
}

void add_scaling(CLI::App& app, Options& options, Command& command) {
  auto given = std::make_shared<ScalingArguments>();
  CLI::App* sub = add_cluster_client(app, options, command, "scaling", "List what scaled groups and services",
                                     [&options, given] { return scaling(options, *given, std::cout); });
  CLI::Option* group = sub->add_option("--group", given->group, "Only of this group");
  sub->add_option("--service", given->service, "Only of this service: NAME, or CLUSTER/NAME")->excludes(group);
  sub->add_option("-n,--number", given->most, "The newest N (20)")->check(CLI::Range(std::size_t{1}, kMaxChanges));
  sub->footer(kScalingExamples);
}

}  // namespace

void add_scaling_commands(CLI::App& app, Options& options, Command& command) {
  add_cluster_client(app, options, command, "groups", "List Auto Scaling groups",
                     [&options] { return groups(options, std::cout); });
  CLI::App* group = app.add_subcommand("group", "Show a group of machines, or change its sizes");
  group->require_subcommand(1);
  group->footer(kGroupExamples);
  auto name = std::make_shared<std::string>();
  add_cluster_client(*group, options, command, "show", "Show sizes, instances, policies and last activities",
                     [&options, name] { return group_show(options, *name, std::cout); })
      ->add_option("group", *name, "Name of the group")
      ->required();
  add_group_set(*group, options, command);
  add_scaling(app, options, command);
}

}  // namespace cli
