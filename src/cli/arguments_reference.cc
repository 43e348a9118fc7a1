// SPDX-License-Identifier: Apache-2.0
// Arguments of completion and man: what they print is made from the tables of all commands.
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/reference.h"
#include "cli/standard_output.h"

namespace cli {
namespace {

constexpr char kCompletionExamples[] = R"text(
Examples:
  stoker completion bash > /usr/share/bash-completion/completions/stoker
  stoker completion zsh > /usr/share/zsh/vendor-completions/_stoker
  stoker completion fish > ~/.config/fish/completions/stoker.fish
  source <(stoker completion bash)     only in this shell
)text";

constexpr char kManExamples[] = R"text(
Examples:
  stoker man | man -l -
  stoker man > /usr/share/man/man1/stoker.1
)text";

}  // namespace

void add_reference_commands(CLI::App& app, const std::string& version, Command& command) {
  auto shell = std::make_shared<std::string>();
  CLI::App* complete = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  complete->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  complete->footer(kCompletionExamples);
  complete->callback([&app, &command, shell] {
    command = [&app, shell] {
      return run_with_standard_output([&] {
        std::cout << completion(read_commands(app), *shell);
        return 0;
      });
    };
  });
  auto markdown = std::make_shared<bool>(false);
  CLI::App* manual = app.add_subcommand("man", "Print the manual page");
  manual->add_flag("--markdown", *markdown, "As Markdown: docs/cli.md");
  manual->footer(kManExamples);
  manual->callback([&app, &command, markdown, version] {
    command = [&app, markdown, version] {
      return run_with_standard_output([&] {
        const auto commands = read_commands(app);
        std::cout << (*markdown ? markdown_reference(commands) : manual_page(commands, version));
        return 0;
      });
    };
  });
}

}  // namespace cli
