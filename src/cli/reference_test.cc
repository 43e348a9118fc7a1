// SPDX-License-Identifier: Apache-2.0
#include "cli/reference.h"

#include <gmock/gmock.h>

#include "cli/arguments.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Reference : public testing::Test {
 protected:
  Reference() {
    add_cluster_commands(app_, options_, command_);
    add_job_commands(app_, options_, command_);
    add_server_commands(app_, options_, command_);
    add_reference_commands(app_, "1.0", command_);
    add_examples(app_);
    simplify_value_names(app_);
  }
  const CommandHelp& find(const std::string& path) {
    commands_ = read_commands(app_);
    for (const CommandHelp& command : commands_) {
      if (command.path == path) return command;
    }
    throw std::runtime_error("no command " + path);
  }

  Options options_;
  Command command_;
  CLI::App app_{"Stoker", "stoker"};
  std::vector<CommandHelp> commands_;
};

TEST_F(Reference, HasCommandsWithArgumentsAndOptions) {
  EXPECT_THAT(usage_line(find("run")), "stoker run [OPTIONS] image [command...]");
  EXPECT_THAT(usage_line(find("nodes")), "stoker nodes [OPTIONS] [COMMAND]");
  EXPECT_THAT(usage_line(find("nodes drain")), "stoker nodes drain [OPTIONS] machine");
  EXPECT_THAT(find("").subcommands, testing::Contains("ps"));
}

// Help shows the command's own examples, and not those of the command above it.
TEST_F(Reference, EveryCommandHasExamples) {
  for (const CommandHelp& command : read_commands(app_)) {
    if (command.path.empty()) continue;
    EXPECT_THAT(command.footer, HasSubstr("stoker " + command.path)) << command.path;
  }
}

TEST_F(Reference, TypesAreNamesForPeople) {
  for (const CommandHelp& command : read_commands(app_)) {
    for (const OptionHelp& option : command.options) {
      EXPECT_THAT(option.value, AllOf(Not(HasSubstr("{")), Not(HasSubstr("FILE:")), Not(HasSubstr(":INT in")))) << command.path;
    }
  }
}

TEST_F(Reference, RangesAreShownWhereTheyEndSomewhere) {
  const auto value_of = [&](const std::string& command, const std::string& name) {
    for (const OptionHelp& option : find(command).options) {
      if (option.names.back() == name) return option.value;
    }
    return std::string("absent");
  };
  EXPECT_EQ(value_of("run", "--gpu-compute"), "PERCENT in [1 - 100]");
  EXPECT_EQ(value_of("run", "--gpu-memory"), "MiB");
}

TEST_F(Reference, OptionsAboutTheServerComeLast) {
  const std::vector<OptionHelp> options = find("stop").options;
  EXPECT_EQ(options.back().names.back(), "--ca-file");
  EXPECT_EQ(options.front().names.back(), "--help");
}

TEST_F(Reference, TheManualHasEveryCommandAndEscapesItsText) {
  const std::string page = manual_page(read_commands(app_), "1.0");
  EXPECT_THAT(page, AllOf(HasSubstr(".SS stoker nodes drain [OPTIONS] machine\n"), HasSubstr(".B \\-a, \\-\\-all\n"),
                          Not(HasSubstr("\n'"))));
}

TEST_F(Reference, TheMarkdownHasATableOfOptions) {
  const std::string text = markdown_reference(read_commands(app_));
  EXPECT_THAT(text, AllOf(HasSubstr("## stoker ps\n"), HasSubstr("| `-a, --all` | "), HasSubstr("`--gpus N\\|all`")));
}

TEST_F(Reference, TheCompletionHasPathsAndWords) {
  const auto commands = read_commands(app_);
  EXPECT_THAT(completion(commands, "bash"), AllOf(HasSubstr("' ps'|"), HasSubstr("'nodes drain'"), HasSubstr("complete -o default -F _stoker stoker")));
  EXPECT_THAT(completion(commands, "zsh"), AllOf(HasSubstr("#compdef stoker\n"), HasSubstr("if [[ $funcstack[1] == _stoker ]]; then _stoker \"$@\"; fi\n")));
  EXPECT_THAT(completion(commands, "fish"), HasSubstr("complete -c stoker -n '__stoker_at '\\''nodes drain'\\''' -l 'wait'"));
  EXPECT_THROW(completion(commands, "tcsh"), std::runtime_error);
}

}  // namespace
}  // namespace cli
