// SPDX-License-Identifier: Apache-2.0
// stoker top
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/terminal_text.h"
#include "cli/top_frame.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TopSnapshot two_machines() {
  TopSnapshot snapshot;
  snapshot.now = *wire::from_iso8601("2026-11-18T12:00:05Z");
  snapshot.endpoint = "127.0.0.1:4566";
  snapshot.cluster = "default";
  snapshot.machines = {{"box-a", "ACTIVE", 3, 1, 2048, 8192, 12390, 65536, 2, 2}, {"box-b", "LOST", 0, 0, 0, 4096, 0, 32768, 0, 0}};
  snapshot.gpus = {{"box-a", 0, "V100", true, 61, 12288, 16160, "stoker-ocr 3fa94c1b"},
                   {"box-a", 1, "", false, std::nullopt, std::nullopt, 16160, ""}};
  snapshot.queues = {{"stoker-ocr", 120, 8, 0, 75}, {"stoker-ocr-failed", 0, 0, 0}};
  snapshot.pipelines = {{"ocr", false, 120, 8, 4711, 2, 2, 4, 41.25}, {"speech", true, 0, 0, 0, 0, 0, 8, std::nullopt}};
  return snapshot;
}

std::string text_of(const std::vector<FrameLine>& lines) {
  std::string text;
  for (const FrameLine& line : lines) text += line.text + "\n";
  return text;
}

TEST(TopFrame, EverythingIsShownAtEightyColumns) {
  EXPECT_EQ(text_of(make_frame(two_machines(), {80, 24})), R"(127.0.0.1:4566  default  2 machines  GPUs 1/2 held, 61%  41.2 items/s  12:00:05Z
MACHINE                STATE        TASKS          CPU           MEMORY     GPUS
box-a                  ACTIVE         3+1      2.0/8.0    12.1/64.0 GiB      2/2
box-b                  LOST             0      0.0/4.0     0.0/32.0 GiB        -
GPU          #  MODEL     LOAD                      MEMORY  HELD BY
box-a        0  V100      [######    ]  61%  12.0/15.8 GiB  stoker-ocr 3fa94c1b
box-a        1  -         UNHEALTHY             ?/15.8 GiB  -
QUEUE                                    VISIBLE   IN FLIGHT   DELAYED    OLDEST
stoker-ocr                                   120           8         0     1 min
stoker-ocr-failed                              0           0         0         -
PIPELINE                QUEUED   RUNNING       DONE   FAILED   WORKERS   ITEMS/S
ocr                        120         8       4711        2       2/4      41.2
speech                       0         0          0        0    paused         -
)");
}

TEST(TopFrame, NamesGetTheRestAt120Columns) {
  EXPECT_EQ(text_of(make_frame(two_machines(), {120, 24})), R"(127.0.0.1:4566  default  2 machines  GPUs 1/2 held, 61%                                          41.2 items/s  12:00:05Z
MACHINE                                                        STATE        TASKS          CPU           MEMORY     GPUS
box-a                                                          ACTIVE         3+1      2.0/8.0    12.1/64.0 GiB      2/2
box-b                                                          LOST             0      0.0/4.0     0.0/32.0 GiB        -
GPU                       #  MODEL     LOAD                      MEMORY  HELD BY
box-a                     0  V100      [######    ]  61%  12.0/15.8 GiB  stoker-ocr 3fa94c1b
box-a                     1  -         UNHEALTHY             ?/15.8 GiB  -
QUEUE                                                                            VISIBLE   IN FLIGHT   DELAYED    OLDEST
stoker-ocr                                                                           120           8         0     1 min
stoker-ocr-failed                                                                      0           0         0         -
PIPELINE                                                        QUEUED   RUNNING       DONE   FAILED   WORKERS   ITEMS/S
ocr                                                                120         8       4711        2       2/4      41.2
speech                                                               0         0          0        0    paused         -
)");
}

TEST(TopFrame, ALargeClusterFitsTheScreenAndTheRestIsCounted) {
  TopSnapshot snapshot = two_machines();
  for (int i = 0; i < 64; ++i) snapshot.gpus.push_back({"box-c", i, "H200", true, i, 1024, 143360, ""});
  for (int i = 0; i < 9; ++i) snapshot.queues.push_back({"queue-" + std::to_string(i), i, 0, 0});
  for (std::size_t rows : {1u, 2u, 5u, 10u, 24u, 50u}) {
    const auto lines = make_frame(snapshot, {80, rows});
    EXPECT_LE(lines.size(), rows);
  }
  const auto lines = make_frame(snapshot, {80, 24});
  EXPECT_THAT(lines, SizeIs(24));
  EXPECT_THAT(text_of(lines), AllOf(HasSubstr("... and 5"), HasSubstr("box-b"), HasSubstr("speech")));
}

TEST(TopFrame, TheMemoryOfLargeMachinesAndGpusIsNotCut) {
  TopSnapshot snapshot = two_machines();
  snapshot.machines[0].memory_used_mib = 1500 * 1024;
  snapshot.machines[0].memory_total_mib = 2000 * 1024;
  snapshot.gpus[0].memory_used_mib = 120 * 1024;
  snapshot.gpus[0].memory_total_mib = 143771;
  EXPECT_THAT(text_of(make_frame(snapshot, {80, 24})), AllOf(HasSubstr("  1500/2000 GiB"), HasSubstr("  120/140 GiB")));
}

TEST(TopFrame, ModelsAreShownByTheWordThatTellsThemApart) {
  const std::pair<const char*, const char*> models[] = {
      {"NVIDIA H100 80GB HBM3", "H100  "}, {"Tesla V100-SXM2-16GB", "V100  "}, {"NVIDIA GeForce RTX 4090", "RTX 4090  "},
      {"NVIDIA RTX A6000", "A6000  "},     {"Quadro RTX 6000", "RTX 6000  "},  {"Tesla T4", "T4  "}};
  for (const auto& [model, shown] : models) {
    TopSnapshot snapshot = two_machines();
    snapshot.gpus[0].model = model;
    EXPECT_THAT(text_of(make_frame(snapshot, {80, 24})), HasSubstr("box-a        0  " + std::string(shown)));
  }
}

TEST(TopFrame, NoLineIsWiderThanTheScreen) {
  TopSnapshot snapshot = two_machines();
  snapshot.machines[0].name = std::string(200, 'm');
  snapshot.gpus[0].held_by = "\xe4\xb8\xad\xe6\x96\x87" + std::string(200, 'x');
  snapshot.queues[0].visible = 1'000'000'000'000;
  snapshot.trouble = std::string(300, 't');
  for (std::size_t columns : {1u, 20u, 40u, 80u, 120u}) {
    for (const FrameLine& line : make_frame(snapshot, {columns, 24})) EXPECT_LE(display_width(line.text), columns) << line.text;
  }
}

TEST(TopFrame, EscapeSequencesInNamesAreNotPrinted) {
  TopSnapshot snapshot = two_machines();
  snapshot.machines[0].name = "box\x1b[2J";
  snapshot.gpus[0].held_by = "a\x1b]0;title\x07";
  snapshot.queues[0].name = "q\r\n";
  snapshot.pipelines[0].name = "p\xc2\x9b";
  snapshot.cluster = "c\x1b";
  snapshot.trouble = "t\x1b";
  for (const FrameLine& line : make_frame(snapshot, {80, 24})) {
    EXPECT_EQ(terminal_text(line.text), line.text);
  }
}

TEST(TopRates, ItemsPerSecondAreOfTheLastSeconds) {
  TopRates rates;
  TopSnapshot snapshot = two_machines();
  for (TopPipeline& pipeline : snapshot.pipelines) pipeline.items_per_second.reset();
  rates.add_to(snapshot);
  EXPECT_FALSE(snapshot.pipelines[0].items_per_second);
  snapshot.now += std::chrono::seconds(2);
  snapshot.pipelines[0].succeeded += 30;
  snapshot.pipelines[0].failed += 10;
  rates.add_to(snapshot);
  EXPECT_DOUBLE_EQ(*snapshot.pipelines[0].items_per_second, 20);
  for (int i = 0; i < 10; ++i) {
    snapshot.now += std::chrono::seconds(1);
    rates.add_to(snapshot);
  }
  EXPECT_DOUBLE_EQ(*snapshot.pipelines[0].items_per_second, 0);
}

TEST(TopRates, APipelineThatWasCreatedAgainHasNoNegativeRate) {
  TopRates rates;
  TopSnapshot snapshot = two_machines();
  rates.add_to(snapshot);
  snapshot.now += std::chrono::seconds(1);
  snapshot.pipelines[0].succeeded = 0;
  snapshot.pipelines[0].items_per_second.reset();
  rates.add_to(snapshot);
  EXPECT_FALSE(snapshot.pipelines[0].items_per_second);
}

class Top : public FakeServer {
 protected:
  Top() {
    reply("ListContainerInstances", R"({"containerInstanceArns":["arn:aws:ecs:r:0:container-instance/default/m1"]})");
    reply("DescribeContainerInstances", R"({"containerInstances":[{"containerInstanceArn":"arn:aws:ecs:r:0:container-instance/default/m1",
        "ec2InstanceId":"box-a","status":"ACTIVE","agentConnected":true,"runningTasksCount":1,"pendingTasksCount":0,
        "registeredResources":[{"name":"CPU","type":"INTEGER","integerValue":2048},{"name":"GPU","type":"STRINGSET","stringSetValue":["g1","g2"]}],
        "remainingResources":[{"name":"CPU","type":"INTEGER","integerValue":1024},{"name":"GPU","type":"STRINGSET","stringSetValue":["g2"]}]}]})");
    reply("StokerListGpus", R"({"gpus":[{"gpuId":"g1","index":0,"machine":"box-a","containerInstanceArn":"x","model":"V100",
        "totalMemoryInMiB":16160,"healthy":true,"sharingMode":"DEDICATED","utilizationPercent":61,"memoryUsedInMiB":12288,
        "holders":[{"taskArn":"arn:aws:ecs:r:0:task/default/3fa94c1b2d77","containerName":"worker","group":"service:stoker-ocr"}]}]})");
    reply("ListQueues", R"({"QueueUrls":["http://x/0/idle","http://x/0/stoker-ocr"]})");
    reply("GetQueueAttributes", R"({"Attributes":{"ApproximateNumberOfMessages":"0"}})");
    reply("GetQueueAttributes", R"({"Attributes":{"ApproximateNumberOfMessages":"7","ApproximateNumberOfMessagesNotVisible":"2"}})");
    reply("GetMetricData", R"({"MetricDataResults":[{"Id":"q0","Timestamps":[1789000000],"Values":[75]}]})");
  }
  TopSnapshot read() { return TopReader(options_).read(*wire::from_iso8601("2026-11-18T12:00:05Z")); }
};

TEST_F(Top, ASnapshotHasMachinesGpusQueuesAndPipelines) {
  reply("ListPipelines", R"({"pipelines":[{"name":"ocr"},{"name":"gone"}]})");
  reply("/pipelines/ocr", R"({"name":"ocr","paused":false,"queued":7,"running":2,"failed":1,"succeeded":5,"workers":1,"min":0,"max":4})");
  reply("/pipelines/gone", R"({"title":"Not Found","status":404})", 404);
  const TopSnapshot snapshot = read();
  EXPECT_EQ(snapshot.trouble, "");
  ASSERT_THAT(snapshot.machines, SizeIs(1));
  EXPECT_EQ(snapshot.machines[0].cpu_used, 1024);
  EXPECT_EQ(snapshot.machines[0].gpus_used, 1);
  EXPECT_EQ(snapshot.machines[0].gpus_total, 2);
  ASSERT_THAT(snapshot.gpus, SizeIs(1));
  EXPECT_EQ(snapshot.gpus[0].held_by, "stoker-ocr 3fa94c1b");
  ASSERT_THAT(snapshot.queues, SizeIs(2));
  EXPECT_EQ(snapshot.queues[0].name, "stoker-ocr");  // with messages, so first
  EXPECT_EQ(snapshot.queues[0].in_flight, 2);
  EXPECT_EQ(snapshot.queues[0].oldest_seconds, 75);
  ASSERT_THAT(snapshot.pipelines, SizeIs(1));
  EXPECT_EQ(snapshot.pipelines[0].queued, 7);
}

TEST_F(Top, APartThatFailsIsNamedAndTheOthersAreShown) {
  reply_error("ListPipelines", "AccessDeniedException", "no permission");
  const TopSnapshot snapshot = read();
  EXPECT_EQ(snapshot.trouble, "pipelines: no permission");
  EXPECT_THAT(snapshot.machines, SizeIs(1));
}

TEST_F(Top, JsonIsOneSnapshot) {
  reply("ListPipelines", R"({"pipelines":[]})");
  std::ostringstream out;
  options_.json = true;
  EXPECT_EQ(top(options_, false, out), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr(R"("machines":[{"name":"box-a","state":")"), HasSubstr(R"("heldBy":"stoker-ocr 3fa94c1b")"),
                               HasSubstr(R"("oldestSeconds":)"), testing::EndsWith("}\n")));
}

TEST_F(Top, OnceHasNoControlCharacters) {
  reply("ListPipelines", R"({"pipelines":[]})");
  std::ostringstream out;
  EXPECT_EQ(top(options_, true, out), 0);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("box-a"), HasSubstr("stoker-ocr"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace cli
