// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.h"

#include <gmock/gmock.h>

#include <sstream>

#include "cli/arguments.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Usage : public testing::Test {
 protected:
  std::optional<int> parse(std::vector<const char*> words) {
    CLI::App app("", "stoker");
    app.set_version_flag("--version", "stoker 1");
    app.require_subcommand(1);
    add_cluster_commands(app, options_, command_);
    add_job_commands(app, options_, command_);
    add_server_commands(app, options_, command_);
    words.insert(words.begin(), "stoker");
    out_.str("");
    err_.str("");
    return parse_command_line(app, static_cast<int>(words.size()), words.data(), out_, err_);
  }

  Options options_;
  Command command_;
  std::ostringstream out_, err_;
};

TEST_F(Usage, AnUnknownCommandIsNamedWithTheNearestOne) {
  EXPECT_EQ(parse({"pss"}), 2);
  EXPECT_EQ(err_.str(), "stoker: unknown command 'pss'; did you mean 'ps'?\nSee `stoker --help`.\n");
  EXPECT_EQ(parse({"nodse", "drain", "x"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'nodes'?"));
  EXPECT_EQ(parse({"key", "creat"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker key: unknown command 'creat'; did you mean 'create'?"));
  EXPECT_EQ(parse({"frobnicate"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker: unknown command 'frobnicate'\n"));
}

TEST_F(Usage, AWordOfAnotherToolIsAnsweredWithTheCommandThatDoesIt) {
  EXPECT_EQ(parse({"kill", "3fa9"}), 2);
  EXPECT_EQ(err_.str(), "stoker: unknown command 'kill'; did you mean 'stop'?\nSee `stoker --help`.\n");
  EXPECT_EQ(parse({"squeue"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'ps'?"));
  EXPECT_EQ(parse({"help", "run"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean '--help'?"));
  EXPECT_EQ(parse({"key", "rm"}), 2) << "only instead of a command of the first level";
  EXPECT_THAT(err_.str(), StartsWith("stoker key: unknown command 'rm'\n"));
}

TEST_F(Usage, AnUnknownOptionIsNamedWithTheNearestOne) {
  EXPECT_EQ(parse({"run", "--gpu", "1", "image"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker run: unknown option '--gpu'; did you mean '--gpus'? (options of the"));
  EXPECT_EQ(parse({"ps", "--al=1"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker ps: unknown option '--al'; did you mean '--all'?\n"));
  EXPECT_EQ(parse({"run", "-x", "512m", "image", "--", "true"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker run: unknown option '-x' (options of the container's command go after --)\n"));
  EXPECT_EQ(parse({"exec", "--user", "root", "3fa9", "--", "ps"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker exec: unknown option '--user'"));
  EXPECT_EQ(parse({"ps", "extra"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker ps: unexpected argument 'extra'\n"));
}

TEST_F(Usage, AnOptionBeforeTheCommandIsAnsweredWithItsPlace) {
  EXPECT_EQ(parse({"--context", "lab", "ps"}), 2);
  EXPECT_EQ(err_.str(), "stoker ps: the option '--context' goes after the command: stoker ps --context\nSee `stoker ps --help`.\n");
  EXPECT_EQ(parse({"--json", "ps"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker ps: the option '--json' goes after the command"));
}

TEST_F(Usage, AKindThatCannotBeExplainedIsNamed) {
  EXPECT_EQ(parse({"explain", "task", "3fa9"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker explain: expected service, group or policy before '3fa9', not 'task'\n"));
}

TEST_F(Usage, WithoutACommandItPrintsTheHelpAsAnError) {
  EXPECT_EQ(parse({}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("Subcommands:"));
  EXPECT_EQ(parse({"key"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("import"));
  EXPECT_THAT(err_.str(), HasSubstr("Usage: stoker key "));
}

TEST_F(Usage, AMissingArgumentAndAnInvalidValueAreUsageErrors) {
  EXPECT_EQ(parse({"run"}), 2);
  EXPECT_THAT(err_.str(), StartsWith("stoker run: image"));
  EXPECT_EQ(parse({"run", "--cpu", "0", "x"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--cpu"));
  EXPECT_EQ(parse({"run", "x", "--gpus"}), 2);
  EXPECT_EQ(err_.str(), "stoker run: --gpus needs a value: N|all\nSee `stoker run --help`.\n");
}

TEST_F(Usage, HelpAndVersionGoToStandardOutput) {
  EXPECT_EQ(parse({"--version"}), 0);
  EXPECT_EQ(out_.str(), "stoker 1\n");
  EXPECT_EQ(parse({"run", "--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("--gpus"));
  EXPECT_EQ(err_.str(), "");
  EXPECT_EQ(parse({"ps"}), std::nullopt);
}

TEST(NearestName, FindsSlipsOfTheFingerOnly) {
  const std::vector<std::string> names{"ps", "pipeline", "logs", "nodes", "services"};
  EXPECT_EQ(nearest_name("pipe", names), "pipeline");
  EXPECT_EQ(nearest_name("lgos", names), "logs");
  EXPECT_EQ(nearest_name("service", names), "services");
  EXPECT_EQ(nearest_name("attach", names), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), names), "");
}

}  // namespace
}  // namespace cli
