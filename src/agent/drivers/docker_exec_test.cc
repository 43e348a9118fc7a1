// SPDX-License-Identifier: Apache-2.0
// What only containers of an engine do: attach with input, and commands as root.
#include <gmock/gmock.h>

#include "agent/drivers/exec_fixture.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;

class DockerExecTest : public ExecTest<DockerWorld> {
 protected:
  std::string start_with(const std::string& config, const std::string& text) {
    ContainerSpec container = shell("main", text);
    container.container.dockerConfig.config = config;
    return start(container);
  }
};

TEST_F(DockerExecTest, ACommandRunsAsRootWhateverTheContainersUserIs) {
  const std::string id = start_with(R"({"User":"nobody"})", kContainerRunsOn);
  ExecStream& stream = open(id, script("id -u; echo $LANG"));
  EXPECT_EQ(read(stream), "0\nC.UTF-8\n");
}

TEST_F(DockerExecTest, AttachedToATerminalInputReachesTheContainer) {
  const std::string id = start_with(R"({"Tty":true,"OpenStdin":true})", "read x; echo got $x; stty size; exit 4");
  ExecRequest request;
  request.attach = request.input = request.terminal = true;
  request.rows = 31;
  request.columns = 99;
  ExecStream& stream = open(id, request);
  write(stream, "it\n");
  EXPECT_THAT(read(stream), HasSubstr("got it\r\n31 99\r\n"));
  EXPECT_EQ(wait(id).code, 4);
  EXPECT_EQ(end(stream).code, 4);
}

TEST_F(DockerExecTest, AProgramOnATerminalIsMadeToDrawAgainForEachClient) {
  const std::string id = start_with(R"({"Tty":true,"OpenStdin":true})", std::string("trap 'echo drawn' WINCH; ") + kContainerRunsOn);
  ExecRequest request;
  request.attach = request.terminal = true;
  request.rows = 24;
  request.columns = 80;
  for (int client = 0; client < 2; ++client) {
    ExecStream& stream = open(id, request);
    EXPECT_THAT(read(stream, "drawn"), HasSubstr("drawn"));
    finish(stream.hang_up());
  }
}

TEST_F(DockerExecTest, AttachedWithoutATerminalTheStreamsStayApart) {
  const std::string id = start_with(R"({"OpenStdin":true})", "read x; echo out $x; echo err $x >&2");
  ExecRequest request;
  request.attach = request.input = true;
  ExecStream& stream = open(id, request);
  write(stream, "1\n");
  const ExecText text = call(read_text_until(stream, ""));
  EXPECT_EQ(text.out, "out 1\n");
  EXPECT_EQ(text.err, "err 1\n");
}

TEST_F(DockerExecTest, AContainerWithoutAnOpenInputTakesNone) {
  const std::string id = start_container(kContainerRunsOn);
  ExecRequest request;
  request.attach = request.input = true;
  EXPECT_THAT(open_error(id, request), HasSubstr("no open input"));
}

}  // namespace
}  // namespace agent::drivers
