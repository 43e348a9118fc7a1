// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_pull_lines.h"

#include <gtest/gtest.h>

#include <vector>

namespace agent::drivers {
namespace {

std::string line(const std::string& id, const std::string& status, const std::string& detail = "{}") {
  return R"({"status":")" + status + R"(","progressDetail":)" + detail + R"(,"id":")" + id + "\"}\r\n";
}
std::string bytes(std::int64_t current, std::int64_t total) {
  return R"({"current":)" + std::to_string(current) + R"(,"total":)" + std::to_string(total) + "}";
}

PullProgress after(const std::string& text) {
  PullLines lines;
  lines.feed(text);
  return lines.progress();
}

// As Docker answers, with each step of the summary.
TEST(PullLines, SumUpTheLayersOfAPull) {
  struct Step {
    std::string text;
    PullProgress expected;
  };
  const std::vector<Step> steps = {
      {R"({"status":"Pulling from library/web","id":"latest"})" "\r\n", {}},
      {line("3e73", "Already exists"), {.layers = 1, .layers_done = 1, .layers_existing = 1}},
      {line("47ca", "Pulling fs layer") + line("79fc", "Pulling fs layer") + line("79fc", "Waiting"),
       {.layers = 3, .layers_done = 1, .layers_existing = 1}},
      {line("47ca", "Downloading", bytes(100, 4000)),
       {.layers = 3, .layers_done = 1, .layers_existing = 1, .downloaded_bytes = 100, .total_bytes = 4000}},
      {line("79fc", "Downloading", bytes(6000, 6000)) + line("79fc", "Verifying Checksum"),
       {.layers = 3, .layers_done = 1, .layers_existing = 1, .downloaded_bytes = 6100, .total_bytes = 10000}},
      {line("47ca", "Retrying in 5 seconds") + line("47ca", "Downloading", bytes(0, 4000)),
       {.layers = 3, .layers_done = 1, .layers_existing = 1, .downloaded_bytes = 6000, .total_bytes = 10000}},
      {line("79fc", "Download complete") + line("47ca", "Download complete"),
       {.layers = 3, .layers_done = 1, .layers_existing = 1, .downloaded_bytes = 10000, .total_bytes = 10000,
        .extracting = true}},
      {line("47ca", "Extracting", bytes(32, 4000)) + line("47ca", "Pull complete"),
       {.layers = 3, .layers_done = 2, .layers_existing = 1, .downloaded_bytes = 10000, .total_bytes = 10000,
        .extracting = true}},
      // Engines that keep images in containerd count seconds here.
      {line("79fc", "Extracting", R"({"current":7,"units":"s"})") + line("79fc", "Pull complete"),
       {.layers = 3, .layers_done = 3, .layers_existing = 1, .downloaded_bytes = 10000, .total_bytes = 10000}},
      {R"({"status":"Digest: sha256:00"})" "\r\n" R"({"status":"Status: Downloaded newer image for web:latest"})" "\r\n",
       {.layers = 3, .layers_done = 3, .layers_existing = 1, .downloaded_bytes = 10000, .total_bytes = 10000}},
  };
  PullLines lines;
  for (const Step& step : steps) {
    lines.feed(step.text);
    EXPECT_EQ(lines.progress(), step.expected) << step.text;
  }
  EXPECT_EQ(lines.error(), "");
}

TEST(PullLines, ASizeMayBeUnknownOrImpossible) {
  const PullProgress unknown{.layers = 1};
  EXPECT_EQ(after(line("a", "Downloading", R"({"current":5})")), unknown);
  EXPECT_EQ(after(line("a", "Downloading", bytes(5, -1))), unknown);
  EXPECT_EQ(after(line("a", "Downloading", R"({"current":"5","total":[]})")), unknown);
  EXPECT_EQ(after(line("a", "Downloading", bytes(-5, 10))), (PullProgress{.layers = 1, .total_bytes = 10}));
  EXPECT_EQ(after(line("a", "Downloading", bytes(50, 10))),
            (PullProgress{.layers = 1, .downloaded_bytes = 10, .total_bytes = 10}));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(after(line("a", "Downloading", bytes(most, most))).total_bytes, PullLines::kMaxLayerBytes);
}

TEST(PullLines, BrokenLinesAreIgnored) {
  const std::string good = line("a", "Pulling fs layer");
  for (const std::string& bad : {std::string("{\"status\":\n"), std::string("\n\r\n"), std::string("[1]\n"), std::string("\xff\n"),
                                 std::string(R"({"status":["Waiting"],"id":7})") + "\n", line("", "Waiting"),
                                 line(std::string(PullLines::kMaxLayerIdBytes + 1, 'x'), "Waiting"),
                                 line("b", std::string(PullLines::kMaxLineBytes, 'x')),
                                 std::string(R"({"status":"Something new","id":"b"})") + "\n"}) {
    EXPECT_EQ(after(bad + good), (PullProgress{.layers = 1})) << bad.substr(0, 80);
  }
}

TEST(PullLines, TheErrorIsInALineThatMayHaveNoEnd) {
  PullLines lines;
  lines.feed(R"({"errorDetail":{"message":"no space"},"error":"no space"})");
  EXPECT_EQ(lines.error(), "");
  lines.end_line();
  EXPECT_EQ(lines.error(), "no space");
}

TEST(PullLines, ThousandsOfLayersAreBounded) {
  PullLines lines;
  for (int i = 0; i < 5000; ++i) lines.feed(line(std::to_string(i), "Downloading", bytes(PullLines::kMaxLayerBytes, PullLines::kMaxLayerBytes)));
  EXPECT_EQ(lines.progress().layers, static_cast<std::int32_t>(PullLines::kMaxLayers));
  EXPECT_EQ(lines.progress().total_bytes, static_cast<std::int64_t>(PullLines::kMaxLayers) * PullLines::kMaxLayerBytes);
  lines.feed(line("0", "Pull complete"));
  EXPECT_EQ(lines.progress().layers_done, 1) << "the layers that are known go on";
}

}  // namespace
}  // namespace agent::drivers
