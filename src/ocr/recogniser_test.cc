// SPDX-License-Identifier: Apache-2.0
// With shell scripts in place of the recognising process.
#include "ocr/recogniser.h"

#include <fcntl.h>
#include <gmock/gmock.h>

namespace ocr {
namespace {

using testing::HasSubstr;

constexpr char kReady[] = R"(echo '{"engine":"fake 1"}'; )";
constexpr char kPage[] = R"(echo '{"page":{"page":1,"text":"hello"},"pages":1}'; )";

Deadline far_away() { return std::chrono::steady_clock::now() + std::chrono::minutes(2); }

class RecogniserTest : public testing::Test {
 protected:
  Recogniser scripted(const std::string& script) { return Recogniser({"/bin/sh", "-c", script}, Limits{}); }

  std::string text_of_page(Recogniser& recogniser) {
    auto answer = recogniser.recognise({}, file_.get(), far_away());
    if (const Failure* failure = std::get_if<Failure>(&answer)) return failure->type + ": " + failure->message;
    return std::get<EngineAnswer>(answer).page->text;
  }

  Descriptor file_{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
};

TEST_F(RecogniserTest, AProcessIsKeptForThePagesThatFollow) {
  Recogniser recogniser = scripted(std::string(kReady) + "for i in 1 2; do read order; " + kPage + "done");
  ASSERT_FALSE(recogniser.start("eng", far_away()));
  EXPECT_EQ(recogniser.engine(), "fake 1");
  EXPECT_EQ(text_of_page(recogniser), "hello");
  ASSERT_FALSE(recogniser.start("eng", far_away()));
  EXPECT_EQ(text_of_page(recogniser), "hello");
}

TEST_F(RecogniserTest, AnotherLanguageIsAnotherProcess) {
  Recogniser recogniser = scripted(R"(echo "{\"engine\":\"$1\"}"; read order)");
  ASSERT_FALSE(recogniser.start("eng", far_away()));
  EXPECT_EQ(recogniser.engine(), "eng") << "$0 is the command, $1 the languages";
  ASSERT_FALSE(recogniser.start("deu", far_away()));
  EXPECT_EQ(recogniser.engine(), "deu");
}

TEST_F(RecogniserTest, ACrashFailsThePageAndTheNextOneHasANewProcess) {
  Recogniser recogniser = scripted(std::string(kReady) + "read order; kill -SEGV $$");
  for (int i = 0; i < 2; ++i) {
    ASSERT_FALSE(recogniser.start("eng", far_away()));
    EXPECT_THAT(text_of_page(recogniser), HasSubstr("Crashed: the recognising process ended with signal 11"));
  }
}

TEST_F(RecogniserTest, AProcessThatEndedWhileItWasIdleIsReplaced) {
  Recogniser recogniser = scripted(R"(echo "{\"engine\":\"$$\"}")");
  ASSERT_FALSE(recogniser.start("eng", far_away()));
  const std::string first = recogniser.engine();
  while (recogniser.engine() == first) ASSERT_FALSE(recogniser.start("eng", far_away()));
}

TEST_F(RecogniserTest, AProcessThatHangsIsKilledAtTheDeadline) {
  Recogniser recogniser = scripted(std::string(kReady) + "read order; read never");
  ASSERT_FALSE(recogniser.start("eng", far_away()));
  auto answer = recogniser.recognise({}, file_.get(), std::chrono::steady_clock::now());
  EXPECT_EQ(std::get<Failure>(answer).type, kTimeout);
  EXPECT_THAT(std::get<Failure>(answer).message, HasSubstr("1 h"));
}

TEST_F(RecogniserTest, AnInvalidAnswerIsNotPassedOn) {
  for (const char* answer : {"garbage", "[1]", "{}", R"({"page":7})"}) {
    Recogniser recogniser = scripted(std::string(kReady) + "read order; echo '" + answer + "'; read more");
    ASSERT_FALSE(recogniser.start("eng", far_away()));
    EXPECT_THAT(text_of_page(recogniser), HasSubstr("Crashed: the recognising process sent an invalid answer on page 1")) << answer;
  }
}

TEST_F(RecogniserTest, AProcessThatCannotStartStatesItsReason) {
  Recogniser recogniser = scripted(R"(echo '{"error":{"type":"MissingLanguage","message":"no deu"}}')");
  const auto failure = recogniser.start("deu", far_away());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->type, kMissingLanguage);
}

}  // namespace
}  // namespace ocr
