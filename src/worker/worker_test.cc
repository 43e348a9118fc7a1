// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <algorithm>

#include "worker/fake_aws.h"

namespace worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

// A --serve process in a few lines of shell: `rule` sets `result` or prints by itself.
std::string shell_server(const std::string& rule) {
  return R"(while read -r line; do id=${line#*\"id\":\"}; id=${id%%\"*}; input=${line#*\"input\":\"}; )"
         R"(input=${input%%\"*}; text=$(cat "$input"); )" +
         rule + R"(; echo "{\"id\":\"$id\",\"result\":\"$text\"}"; done)";
}

// Gone, or a zombie until its new parent looks.
bool is_dead(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  return text.empty() || text.find(") Z") != text.npos;
}

class WorkerTest : public FakeAws {
 protected:
  std::vector<std::string> calls_to(const std::string& call) {
    return with([&](State& state) {
      std::vector<std::string> bodies;
      for (std::size_t i = 0; i < state.calls.size(); ++i) {
        if (state.calls[i] == call) bodies.push_back(state.bodies[i]);
      }
      return bodies;
    });
  }
  std::string metadata(const std::string& key) {
    return with([&](State& state) { return state.objects["/bucket/" + key].headers["x-amz-meta-stoker-sequencer"]; });
  }
};

TEST_F(WorkerTest, TheOutputOfACommandBecomesTheResultAndTheMessageIsDeleted) {
  options_.exec = "tr a-z A-Z < {input} > {output}";
  submit("a/b.txt", "hello");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a/b.txt.json"), R"({"output":"HELLO"})");
  EXPECT_EQ(metadata("out/a/b.txt.json"), "0055AED6DCD90281E5");
  EXPECT_THAT(with([](State& state) { return state.released; }), IsEmpty());
}

TEST_F(WorkerTest, WithoutAnOutputFileTheResultIsWhatTheCommandPrints) {
  options_.exec = R"(printf '{"n": 1.10}'; test -s {input})";
  submit("x", "1");
  work_until(deletes(1));
  EXPECT_EQ(object("out/x.json"), R"({"n": 1.10})");
}

TEST_F(WorkerTest, KeysOfEventsAreDecoded) {
  options_.exec = "cat {input}";
  put("in/a b+ä'.txt", "7");
  send(event("in/a+b%2B%C3%A4%27.txt"));
  work_until(deletes(1));
  EXPECT_EQ(object("out/a b+ä'.txt.json"), "7");
}

TEST_F(WorkerTest, AProcessThatStaysAnswersInBatches) {
  options_.serve = shell_server("size=${line##*size\\\":}; text=$text${size%%\\}*}");
  options_.batch = 3;
  options_.linger = std::chrono::minutes(1);
  for (const char* name : {"a", "b", "c"}) submit(name, name);
  work_until(deletes(3));
  EXPECT_EQ(object("out/a.json"), "\"a3\"");
  EXPECT_EQ(object("out/b.json"), "\"b3\"");
  EXPECT_EQ(object("out/c.json"), "\"c3\"");
}

TEST_F(WorkerTest, AFailedItemHasAnErrorDocumentAndComesBackLater) {
  options_.exec = "echo 'no such font' >&2; exit 3 {input}";
  submit("a", "1");
  work_until(releases(1));
  EXPECT_THAT(object("errors/a.json"),
              HasSubstr(R"({"error":{"type":"CommandFailed","message":"exit code 3: no such font"},"attempt":1,)"
                        R"("task":"arn:task","machine":"box-a","at":")"));
  EXPECT_EQ(object("out/a.json"), "(none)");
  EXPECT_THAT(with([](State& state) { return state.released; }), ElementsAre(Pair(event("in/a"), 3)));
  EXPECT_THAT(with([](State& state) { return state.deleted; }), IsEmpty());
}

TEST_F(WorkerTest, ThePauseAfterAFailureGrowsAndTheLastAttemptMovesOnAtOnce) {
  options_.exec = "exit 1 {input}";
  with([](State& state) { state.receives[event("in/a")] = 1; });
  submit("a", "1");
  with([](State& state) { state.receives[event("in/b")] = 2; });
  submit("b", "1");
  work_until(releases(2));
  EXPECT_THAT(with([](State& state) { return state.released; }),
              UnorderedElementsAre(Pair(event("in/a"), 6), Pair(event("in/b"), 0)));
  EXPECT_THAT(object("errors/b.json"), HasSubstr(R"("attempt":3)"));
}

TEST_F(WorkerTest, APermanentFailureGoesToTheDeadLetterQueueAtOnce) {
  options_.exec = "echo 'not a PNG' >&2; exit 65 {input}";
  submit("a", "1");
  work_until(deletes(1));
  EXPECT_THAT(object("errors/a.json"), HasSubstr(R"("message":"exit code 65: not a PNG","permanent":true},"attempt":1)"));
  ASSERT_THAT(calls_to("SendMessage"), testing::SizeIs(1));
  EXPECT_THAT(calls_to("SendMessage")[0], HasSubstr(R"("QueueUrl":"http://queue/000000000000/dead")"));
  EXPECT_THAT(calls_to("SendMessage")[0], HasSubstr("exit code 65: not a PNG"));
  EXPECT_THAT(calls_to("SendMessage")[0], HasSubstr("ObjectCreated:Put"));
  EXPECT_THAT(with([](State& state) { return state.released; }), IsEmpty());
}

TEST_F(WorkerTest, APipelineMovesTheMessageOfAPermanentFailureItself) {
  options_.serve = R"(while read -r line; do id=${line#*\"id\":\"}; id=${id%%\"*}; echo "{\"id\":\"$id\",\"error\":{\"type\":\"BadImage\",\"message\":\"x\",\"permanent\":true}}"; done)";
  options_.pipeline = "ocr";
  submit("a", "1");
  work_until([](const State& state) { return state.objects.contains("/bucket/errors/a.json"); });
  EXPECT_THAT(object("errors/a.json"), HasSubstr(R"("permanent":true)"));
  EXPECT_THAT(calls_to("SendMessage"), IsEmpty());
  EXPECT_THAT(with([](State& state) { return state.deleted; }), IsEmpty());
  EXPECT_THAT(with([](State& state) { return state.released; }), IsEmpty());
}

TEST_F(WorkerTest, AMessageIsTriedAgainIfAnyOfItsFailuresIsNotPermanent) {
  options_.exec = "exit $(cat {input})";
  put("in/a", "65");
  put("in/b", "1");
  send(R"({"Records":[)" + record("in/a", "01") + "," + record("in/b", "02") + "]}");
  work_until(releases(1));
  EXPECT_THAT(calls_to("SendMessage"), IsEmpty());
}

TEST_F(WorkerTest, AMissingInputIsAFailure) {
  options_.exec = "cat {input}";
  send(event("in/gone"));
  work_until(releases(1));
  EXPECT_THAT(object("errors/gone.json"), HasSubstr(R"("type":"InputMissing","message":"s3://bucket/in/gone: NoSuchKey)"));
}

TEST_F(WorkerTest, ACommandThatWritesNoOutputFails) {
  options_.exec = "true {input} {output}";
  submit("a", "1");
  work_until(releases(1));
  EXPECT_THAT(object("errors/a.json"), HasSubstr("OutputMissing"));
}

TEST_F(WorkerTest, ATestEventIsDeleted) {
  options_.exec = "cat {input}";
  send(R"({"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"bucket"})");
  work_until(deletes(1));
  EXPECT_THAT(with([](State& state) { return state.calls; }), Not(Contains(testing::StartsWith("GET"))));
}

TEST_F(WorkerTest, AMessageThatIsNoEventIsReleased) {
  options_.exec = "cat {input}";
  send("hello");
  work_until(releases(1));
  EXPECT_THAT(with([](State& state) { return state.deleted; }), IsEmpty());
}

TEST_F(WorkerTest, ResultsAreNotInputs) {
  options_.exec = "cat {input}";
  put("out/a.json", "1");
  send(event("out/a.json"));
  work_until(deletes(1));
  EXPECT_EQ(object("out/out/a.json.json"), "(none)");
}

TEST_F(WorkerTest, EachRecordOfAMessageIsAnItemAndTheMessageIsDeletedAfterTheLast) {
  options_.exec = "cat {input}";
  put("in/a", "1");
  put("in/b", "2");
  send(R"({"Records":[)" + record("in/a", "01") + "," + record("in/b", "02") + "]}");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "1");
  EXPECT_EQ(object("out/b.json"), "2");
  EXPECT_EQ(with([](State& state) { return state.deleted.size(); }), 1u);
}

TEST_F(WorkerTest, AMessageWithAFailedItemIsReleasedAndItsFinishedItemIsNotRepeated) {
  options_.exec = "grep -v bad {input}";
  put("in/a", "1");
  put("in/b", "bad");
  const std::string message = R"({"Records":[)" + record("in/a", "01") + "," + record("in/b", "02") + "]}";
  send(message);
  start();
  wait_until(releases(1));
  put("in/b", "2");
  send(message);
  wait_until(deletes(1));
  stop();
  EXPECT_EQ(object("out/b.json"), "2\n");
  EXPECT_EQ(calls_to("GET /bucket/in/a").size(), 1u);
}

TEST_F(WorkerTest, AResultOfTheSameInputIsKept) {
  options_.exec = "cat {input}";
  put("out/a.json", "theirs", {{"x-amz-meta-stoker-sequencer", "0055AED6DCD90281E5"}});
  submit("a", "1");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "theirs");
}

TEST_F(WorkerTest, AResultOfAnOlderInputIsReplaced) {
  options_.exec = "cat {input}";
  put("out/a.json", "old", {{"x-amz-meta-stoker-sequencer", "0055AED6DCD90281E4"}});
  submit("a", "1");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "1");
  EXPECT_EQ(metadata("out/a.json"), "0055AED6DCD90281E5");
}

TEST_F(WorkerTest, AResultOfANewerInputIsKept) {
  options_.exec = "cat {input}";
  put("out/a.json", "new", {{"x-amz-meta-stoker-sequencer", "0055AED6DCD90281E6"}});
  submit("a", "1");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "new");
}

TEST_F(WorkerTest, AResultThatChangesBetweenTwoRequestsIsLookedAtAgain) {
  options_.exec = "cat {input}";
  put("out/a.json", "old", {{"x-amz-meta-stoker-sequencer", "00"}});
  int writes = 0;
  with([&](State& state) {
    state.before = [&writes](State& now, const std::string& call) {
      // Another worker writes between our HEAD and our second PUT.
      if (call == "PUT /bucket/out/a.json" && ++writes == 2) {
        now.objects["/bucket/out/a.json"] = {"theirs", {{"x-amz-meta-stoker-sequencer", "0055AED6DCD90281E5"}}};
      }
    };
  });
  submit("a", "1");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "theirs");
  EXPECT_EQ(writes, 2);
}

TEST_F(WorkerTest, RequestsAreRepeatedWhileS3IsBusy) {
  options_.exec = "cat {input}";
  with([](State& state) { state.failing = {{"GET /bucket/in/a", 2}, {"PUT /bucket/out/a.json", 2}}; });
  submit("a", "1");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "1");
  EXPECT_EQ(calls_to("PUT /bucket/out/a.json").size(), 3u);
}

TEST_F(WorkerTest, AnItemWhoseMessageIsGoneIsCancelledAndItsCommandKilled) {
  options_.exec = "touch " + folder_ + "/started; sleep 600; cat {input}";
  options_.visibility = std::chrono::seconds(1);
  submit("a", "1");
  with([](State& state) { state.gone.push_back(event("in/a")); });
  start();
  wait_until([](const State& state) { return std::ranges::count(state.calls, "ChangeMessageVisibilityBatch") > 0; });
  stop();  // at once: nothing is left to finish
  EXPECT_EQ(object("out/a.json"), "(none)");
  EXPECT_EQ(object("errors/a.json"), "(none)");
  EXPECT_THAT(with([](State& state) { return state.released; }), IsEmpty());
}

TEST_F(WorkerTest, TheVisibilityOfALongItemIsExtended) {
  options_.visibility = std::chrono::seconds(1);
  options_.exec = "until [ -e " + folder_ + "/go ]; do sleep 0.05; done; cat {input}";
  submit("a", "1");
  start();
  wait_until([](const State& state) { return state.extended.size() >= 2; });
  std::ofstream(folder_ + "/go") << "";
  wait_until(deletes(1));
  stop();
  EXPECT_EQ(object("out/a.json"), "1");
}

TEST_F(WorkerTest, ACommandThatTakesTooLongIsKilledWithItsChildren) {
  options_.exec = "sleep 600 & echo $! > " + folder_ + "/pid; wait; cat {input}";
  options_.timeout = std::chrono::milliseconds(300);
  pid_t child = 0;
  // The time begins with the start of the shell, which may need more of it.
  for (std::size_t count = 1; child == 0; ++count) {
    submit("a", "1");
    work_until(releases(count));
    ASSERT_THAT(object("errors/a.json"), HasSubstr(R"("type":"Timeout")"));
    std::ifstream(folder_ + "/pid") >> child;
    options_.timeout *= 4;
  }
  wait_until([&](const State&) { return is_dead(child); });
}

TEST_F(WorkerTest, OnlyTheItemThatKillsItsProcessFails) {
  options_.serve = shell_server("case $text in poison) echo 'out of memory' >&2; kill -9 $$;; esac");
  options_.batch = 4;
  options_.linger = std::chrono::minutes(1);
  for (const char* name : {"a", "b", "c"}) submit(name, name);
  submit("poison", "poison");
  work_until([](const State& state) { return state.deleted.size() >= 3 && !state.released.empty(); });
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(object(std::string("out/") + name + ".json"), '"' + std::string(name) + '"');
  EXPECT_THAT(object("errors/poison.json"),
              HasSubstr(R"("type":"ProcessDied","message":"killed by SIGKILL: out of memory")"));
  EXPECT_THAT(with([](State& state) { return state.released; }), ElementsAre(Pair(event("in/poison"), 3)));
}

TEST_F(WorkerTest, OnlyTheItemThatHangsTimesOut) {
  options_.timeout = std::chrono::seconds(1);
  options_.serve = shell_server("case $text in hang) sleep 600;; esac");
  options_.batch = 2;
  options_.linger = std::chrono::minutes(1);
  start();
  // The time begins with the start of the shell. Where that takes too long, the other item is late as well.
  for (std::size_t count = 2; with([](State& state) { return state.deleted.empty(); }); count += 2) {
    submit("hang", "hang");
    submit("a", "a");
    wait_until([&](const State& state) { return state.deleted.size() + state.released.size() >= count; });
    ASSERT_FALSE(HasFatalFailure());
  }
  stop();
  EXPECT_THAT(with([](State& state) { return state.deleted; }), ElementsAre(event("in/a")));
  EXPECT_EQ(object("out/a.json"), "\"a\"");
  EXPECT_THAT(object("errors/hang.json"), HasSubstr(R"("type":"Timeout","message":"no answer within 1 s)"));
}

TEST_F(WorkerTest, AnItemBehindACancelledOneNeitherWaitsForItNorFails) {
  options_.visibility = std::chrono::seconds(1);
  options_.serve = shell_server("case $text in hang) touch " + folder_ + "/started; sleep 600;; esac");
  submit("hang", "hang");
  start();
  wait_until([&](const State&) { return std::filesystem::exists(folder_ + "/started"); });
  submit("a", "a");
  wait_until([](const State& state) { return std::ranges::count(state.calls, "GET /bucket/in/a") > 0; });
  with([](State& state) { state.gone.push_back(event("in/hang")); });
  wait_until(deletes(1));
  stop();
  EXPECT_EQ(object("out/a.json"), "\"a\"");
  EXPECT_EQ(object("errors/a.json"), "(none)");
  EXPECT_EQ(object("errors/hang.json"), "(none)");
  EXPECT_THAT(with([](State& state) { return state.released; }), IsEmpty());
}

TEST_F(WorkerTest, LinesThatAreNoAnswersAreIgnored) {
  options_.serve = shell_server("echo loading; echo '{\"id\":\"77\",\"result\":1}'; echo '[1]'; echo '{\"result\":2}'");
  submit("a", "a");
  work_until(deletes(1));
  EXPECT_EQ(object("out/a.json"), "\"a\"");
}

TEST_F(WorkerTest, AnErrorOfTheProcessorIsRecorded) {
  options_.serve = R"(read -r line; id=${line#*\"id\":\"}; id=${id%%\"*}; echo "{\"id\":\"$id\",\"error\":{\"type\":\"BadImage\",\"message\":\"too dark\"}}"; cat > /dev/null)";
  submit("a", "a");
  work_until(releases(1));
  EXPECT_THAT(object("errors/a.json"), HasSubstr(R"({"error":{"type":"BadImage","message":"too dark"})"));
}

TEST_F(WorkerTest, ALineWithoutEndKillsTheProcess) {
  options_.serve = "read -r line; head -c 70000000 /dev/zero | tr '\\0' x; sleep 600";
  submit("a", "a");
  work_until(releases(1));
  EXPECT_THAT(object("errors/a.json"), HasSubstr("it answered with a line of more than 67108864 bytes"));
}

TEST_F(WorkerTest, AProcessThatCantStartFailsItsItemsWithTheReason) {
  options_.serve = "echo \"No module named 'torch'\" >&2; exit 1";
  submit("a", "a");
  work_until(releases(1));
  EXPECT_THAT(object("errors/a.json"), HasSubstr("exit code 1: No module named 'torch'"));
}

TEST_F(WorkerTest, DrainingFinishesTheItemsAtHand) {
  options_.exec = "touch " + folder_ + "/started; until [ -e " + folder_ + "/go ]; do sleep 0.05; done; cat {input}";
  submit("a", "1");
  start();
  wait_until([&](const State&) { return std::filesystem::exists(folder_ + "/started"); });
  std::ofstream(folder_ + "/go") << "";
  stop();
  EXPECT_EQ(object("out/a.json"), "1");
  EXPECT_THAT(with([](State& state) { return state.deleted; }), ElementsAre(event("in/a")));
}

TEST_F(WorkerTest, WhatIsNotFinishedWhenTheDrainEndsIsReleasedAtOnce) {
  options_.drain = std::chrono::milliseconds(100);
  options_.exec = "touch " + folder_ + "/started; sleep 600; cat {input}";
  submit("a", "1");
  start();
  wait_until([&](const State&) { return std::filesystem::exists(folder_ + "/started"); });
  stop();
  EXPECT_THAT(with([](State& state) { return state.released; }), ElementsAre(Pair(event("in/a"), 0)));
  EXPECT_EQ(object("errors/a.json"), "(none)");
}

TEST_F(WorkerTest, StartedItemsAreReportedToThePipelineAndCountedAsMetrics) {
  options_.exec = "cat {input}";
  options_.pipeline = "ocr";
  submit("a", "1");
  work_until([](const State& state) { return !state.deleted.empty() && std::ranges::count(state.calls, "ReportJobs") > 0; });
  EXPECT_THAT(calls_to("ReportJobs"),
              ElementsAre(R"({"pipeline":"ocr","task":"arn:task","jobs":[{"bucket":"bucket","key":"in/a",)"
                          R"("sequencer":"0055AED6DCD90281E5","attempt":1,"status":"RUNNING"}]})"));
  ASSERT_THAT(calls_to("PutMetricData"), testing::SizeIs(1));
  EXPECT_THAT(calls_to("PutMetricData")[0], HasSubstr(R"("MetricName":"Items","Dimensions":[{"Name":"Pipeline","Value":"ocr"}])"));
}

TEST_F(WorkerTest, AnUnknownQueueEndsTheWorker) {
  options_.queue = "nope";
  options_.exec = "cat {input}";
  with([](State& state) { state.failing["GetQueueUrl"] = 1; });
  start();
  EXPECT_THROW(stop(), std::exception);
}

}  // namespace
}  // namespace worker
