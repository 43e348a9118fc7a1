// SPDX-License-Identifier: Apache-2.0
#include "control/providers/provider_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace control::providers {
namespace {

TEST(ProviderOptions, EachKindHasItsProvider) {
  ProviderOptions options;
  options.start = options.stop = "true";
  options.slurm_agent = "/opt/stoker";
  for (const std::string kind : {"local", "command", "slurm", "none"}) {
    options.kind = kind;
    EXPECT_EQ(open_provider(options, "http://127.0.0.1:1")->name(), kind);
  }
}

TEST(ProviderOptions, CommandsAreRequired) {
  ProviderOptions options;
  options.kind = "command";
  options.start = "true";
  EXPECT_THROW(open_provider(options, ""), std::runtime_error);
}

TEST(ProviderOptions, WithoutAProviderEveryLaunchFailsWithAReason) {
  const auto slice = open_provider({}, "")->reserve({"t3.nano", 2, 512, 0, "", 0}, {});
  ASSERT_FALSE(slice);
  EXPECT_EQ(slice.error(), "InsufficientInstanceCapacity: this server has no instance provider (--provider).");
}

}  // namespace
}  // namespace control::providers
