// SPDX-License-Identifier: Apache-2.0
// Commands in containers, the same with both drivers.
#include "agent/drivers/exec.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "agent/drivers/exec_fixture.h"

namespace agent::drivers {
namespace {

using testing::HasSubstr;

template <class World>
class Exec : public ExecTest<World> {};

using Worlds = testing::Types<ProcessWorld, DockerWorld>;
TYPED_TEST_SUITE(Exec, Worlds);

TYPED_TEST(Exec, OutputAndExitCodeArePassedOn) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->script("echo $GREETING; echo bad >&2; exit 42"));
  EXPECT_GT(stream.pid(), 0);
  const ExecText text = this->call(read_text_until(stream, ""));
  EXPECT_EQ(text.out, "hello\n");
  EXPECT_EQ(text.err, "bad\n");
  const ExecEnd end = this->end(stream);
  EXPECT_EQ(end.code, 42);
  EXPECT_EQ(end.reason, "");
}

TYPED_TEST(Exec, AMissingCommandIsNamed) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->command({"/no/such/program"}));
  this->read(stream);
  const ExecEnd end = this->end(stream);
  EXPECT_TRUE(end.code == 127 || end.code == 126) << end.code;  // an engine's own, which depends on its version
  EXPECT_THAT(end.reason, HasSubstr("/no/such/program"));
}

TYPED_TEST(Exec, AContainerThatHasEndedIsNamed) {
  const std::string id = this->start_container("true");
  this->wait(id);
  EXPECT_NE(this->open_error(id, this->script("true")), "");
}

TYPED_TEST(Exec, InputIsPassedOnByteForByte) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecRequest request = this->command({"cat"});
  request.input = true;
  ExecStream& stream = this->open(id, request);
  std::string bytes;
  for (int i = 0; i < 256 * 8; ++i) bytes += static_cast<char>(i);  // fits any pipe
  this->write(stream, bytes);
  this->finish(stream.end_input());
  EXPECT_EQ(this->read(stream), bytes);
  EXPECT_EQ(this->end(stream).code, 0);
}

TYPED_TEST(Exec, WithoutInputACommandReadsNothing) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->command({"cat"}));
  EXPECT_EQ(this->read(stream), "");
  EXPECT_EQ(this->end(stream).code, 0);
}

TYPED_TEST(Exec, TenMegabytesArrive) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->script("dd if=/dev/zero bs=1048576 count=10 2>/dev/null"));
  EXPECT_EQ(this->read(stream).size(), 10u * 1024 * 1024);
  EXPECT_EQ(this->end(stream).code, 0);
}

TYPED_TEST(Exec, ATerminalHasASizeThatChanges) {
  const std::string id = this->start_container(kContainerRunsOn);
  // Engines before API 1.42 start a terminal without a size; the driver sets it right after that. Until then busybox
  // prints nothing, and succeeds.
  ExecStream& stream = this->open(id, this->terminal("echo $TERM; until stty size 2> /dev/null | grep .; do sleep 0.05; "
                                                     "done; read x; stty size; exit 3"));
  EXPECT_EQ(this->read(stream, "24 80\r\n"), "xterm-256color\r\n24 80\r\n");
  this->finish(stream.resize(50, 132));
  this->write(stream, "\n");
  EXPECT_THAT(this->read(stream), HasSubstr("50 132\r\n"));
  EXPECT_EQ(this->end(stream).code, 3);
}

TYPED_TEST(Exec, ControlCInterruptsTheForegroundOfATerminal) {
  const std::string id = this->start_container(kContainerRunsOn);
  // Without noflsh the terminal drops what the trap prints before the interrupt has flushed it.
  ExecStream& stream = this->open(id, this->terminal("stty noflsh; trap 'echo got it; exit 7' INT; echo up; "
                                                     "while true; do sleep 0.05; done"));
  this->read(stream, "up");
  this->write(stream, "\x03");
  EXPECT_THAT(this->read(stream), HasSubstr("got it"));
  EXPECT_EQ(this->end(stream).code, 7);
}

TYPED_TEST(Exec, EndOfInputEndsAShellOnATerminal) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->terminal("echo up; cat; exit 5"));
  this->read(stream, "up");
  this->finish(stream.end_input());
  this->read(stream);
  EXPECT_EQ(this->end(stream).code, 5);
}

TYPED_TEST(Exec, ASignalReachesTheCommand) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->script("echo up; exec sleep 100"));
  this->read(stream, "up");
  this->finish(stream.signal(SIGKILL));
  this->read(stream);
  EXPECT_EQ(this->end(stream).code, 137);
}

TYPED_TEST(Exec, AClientThatIsGoneLeavesNoProcess) {
  const std::string id = this->start_container(kContainerRunsOn);
  for (const bool on_terminal : {true, false}) {
    const std::string text = "trap '' HUP; sleep 100 & echo $!; while true; do sleep 0.05; done";
    ExecStream& stream = this->open(id, on_terminal ? this->terminal(text) : this->script(text));
    this->read(stream, "\n");
    this->finish(stream.hang_up());
    this->read(stream);
    EXPECT_TRUE(this->is_gone(stream.pid()));
    EXPECT_EQ(this->end(stream).code, 137);
  }
}

TYPED_TEST(Exec, AStreamThatIsDestroyedLeavesNoProcess) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->terminal("echo up; exec sleep 100"));
  this->read(stream, "up");
  const std::int64_t pid = stream.pid();
  this->destroy(stream);
  EXPECT_TRUE(this->is_gone(pid));
}

TYPED_TEST(Exec, ACommandEndsWithItsContainer) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->script("echo up; sleep 100"));
  this->read(stream, "up");
  this->stop_container(id);
  this->read(stream);
  EXPECT_NE(this->end(stream).code, 0);
  EXPECT_TRUE(this->is_gone(stream.pid()));
}

TYPED_TEST(Exec, AProcessInTheBackgroundDoesNotHoldTheClient) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& stream = this->open(id, this->script("sleep 100 & echo up"));
  EXPECT_EQ(this->read(stream), "up\n");
  EXPECT_EQ(this->end(stream).code, 0);
}

TYPED_TEST(Exec, ADetachedContainerRunsOn) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecRequest request;
  request.attach = true;
  ExecStream& stream = this->open(id, request);
  this->finish(stream.hang_up());
  EXPECT_EQ(this->read(stream), "");
  EXPECT_THAT(this->end(stream).reason, HasSubstr("detached"));
  const auto found = this->run(this->driver_->list());
  ASSERT_TRUE(found && found->size() == 1u);
  EXPECT_EQ(found->front().phase, Phase::Running);
}

TYPED_TEST(Exec, AttachedWithLogsTheOutputSoFarComesFirst) {
  const std::string id = this->start_container("echo before; until test -e /tmp/go-$GREETING; do sleep 0.05; done; "
                                               "rm /tmp/go-$GREETING; echo after");
  ExecRequest request;
  request.attach = request.logs = true;
  ExecStream& stream = this->open(id, request);
  EXPECT_EQ(this->read(stream, "before\n"), "before\n");
  ExecStream& gate = this->open(id, this->script("touch /tmp/go-$GREETING"));
  this->read(gate);
  EXPECT_EQ(this->read(stream), "after\n");
  EXPECT_EQ(this->end(stream).code, 0);
}

// Its pipe is full, and the process in the background keeps it open.
TYPED_TEST(Exec, AWriteEndsWithTheCommand) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecRequest request = this->script("exec 3<&0; sleep 100 <&3 & echo up");
  request.input = true;
  ExecStream& stream = this->open(id, request);
  auto written = boost::asio::co_spawn(this->threads_.at(0), stream.write(std::string(8'000'000, 'x')),
                                       boost::asio::use_future);
  this->read(stream);
  EXPECT_EQ(this->end(stream).code, 0);
  ASSERT_EQ(written.wait_for(kTestTimeout), std::future_status::ready);
  EXPECT_FALSE(written.get());
}

TYPED_TEST(Exec, TwoCommandsRunAtOnce) {
  const std::string id = this->start_container(kContainerRunsOn);
  ExecStream& first = this->open(id, this->terminal("echo one; read x; echo $x"));
  ExecStream& second = this->open(id, this->terminal("echo two; read x; echo $x"));
  EXPECT_THAT(this->read(first, "one"), HasSubstr("one"));
  EXPECT_THAT(this->read(second, "two"), HasSubstr("two"));
  this->write(second, "to the second\n");
  this->write(first, "to the first\n");
  EXPECT_THAT(this->read(first), HasSubstr("to the first\r\nto the first"));
  EXPECT_THAT(this->read(second), HasSubstr("to the second\r\nto the second"));
}

}  // namespace
}  // namespace agent::drivers
