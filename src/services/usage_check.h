// SPDX-License-Identifier: Apache-2.0
// Test support: the totals of accounts are those that the rows add up to.
#pragma once

#include <gtest/gtest.h>

#include "services/usage.h"

namespace services {

// "111111111111 bytes=3 queues=0 objects=1"; accounts that have nothing are left out.
inline std::string usage_text(store::Tx& tx) {
  std::string text;
  for (const auto& [account, usage] : list_usage(tx, "", 1000)) {
    if (usage == Usage()) continue;
    text += account + " bytes=" + std::to_string(usage.bytes) + " queues=" + std::to_string(usage.queues) +
            " objects=" + std::to_string(usage.objects) + "\n";
  }
  return text;
}

// The last step of these migrations fills the totals: it must find what was counted. Nothing is changed.
inline void expect_exact_usage(store::Store& store, const store::Migrations& migrations) {
  struct Undone {};
  const auto check = [&](store::Tx& tx) {
    const std::string counted = usage_text(tx);
    tx.exec("DELETE FROM account_usage");
    tx.exec(migrations.steps.back());
    EXPECT_EQ(counted, usage_text(tx));
    throw Undone();
  };
  EXPECT_THROW(store.write_now(check), Undone);
}

}  // namespace services
