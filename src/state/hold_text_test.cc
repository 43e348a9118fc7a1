// SPDX-License-Identifier: Apache-2.0
#include "state/hold_text.h"

#include <gtest/gtest.h>

namespace state {
namespace {

model::TaskHold full_hold() {
  model::TaskHold hold{.cpu = 64, .memory_mib = 256};
  hold.ports.tcp = {80, 443};
  hold.ports.udp = {53};
  hold.dynamic_ports = 2;
  hold.gpus = {{model::GpuId("GPU-1"), "main", 0}, {model::GpuId("GPU-2"), "side", 4096}};
  return hold;
}

TEST(HoldText, WritesALinePerTask) {
  std::string text;
  append_hold(text, full_hold());
  append_hold(text, {.cpu = 1, .memory_mib = 16});
  EXPECT_EQ(text, "64 256 2 80,443 53 GPU-1:main:0 GPU-2:side:4096\n1 16 0 - -\n");
}

TEST(HoldText, ReadsBackWhatItWrote) {
  std::string text;
  append_hold(text, {.cpu = 1, .memory_mib = 16});
  append_hold(text, full_hold());
  EXPECT_EQ(parse_hold(text, 0), (model::TaskHold{.cpu = 1, .memory_mib = 16}));
  EXPECT_EQ(parse_hold(text, 1), full_hold());
}

TEST(HoldText, AGpuMayHaveAnyName) {
  model::TaskHold hold;
  hold.gpus = {{model::GpuId("a b:c%d\n,-\xff"), "main", 7}};
  std::string text;
  append_hold(text, hold);
  append_hold(text, full_hold());
  EXPECT_EQ(parse_hold(text, 0), hold);
  EXPECT_EQ(parse_hold(text, 1), full_hold());
}

TEST(HoldText, ALineIsReplacedAmongOthers) {
  std::string text;
  append_hold(text, {.cpu = 1, .memory_mib = 16});
  append_hold(text, {.cpu = 2, .memory_mib = 16});
  append_hold(text, {.cpu = 3, .memory_mib = 16});
  const std::string changed = replace_hold(text, 1, full_hold());
  EXPECT_EQ(parse_hold(changed, 0).cpu, 1);
  EXPECT_EQ(parse_hold(changed, 1), full_hold());
  EXPECT_EQ(parse_hold(changed, 2).cpu, 3);
}

}  // namespace
}  // namespace state
