// SPDX-License-Identifier: Apache-2.0
// For tests: a store that records for whom each work runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "store/account_work.h"
#include "store/store.h"

namespace store {

class RecordingStore final : public Store {
 public:
  // `store` outlives it.
  explicit RecordingStore(Store& store) : store_(store) {}

  void write(Work work, Done done) override {
    record(work);
    store_.write(std::move(work), std::move(done));
  }
  void read(Work work, Done done) override {
    record(work);
    store_.read(std::move(work), std::move(done));
  }

  // The accounts of all works so far; "" for the server's own.
  std::vector<std::string> take_accounts() {
    return accounts_.with([](auto& accounts) { return std::exchange(accounts, {}); });
  }

 private:
  void record(const Work& work) {
    accounts_.with([&](auto& accounts) { accounts.push_back(account_of(work)); });
  }

  Store& store_;
  base::Guarded<std::vector<std::string>> accounts_;
};

}  // namespace store
