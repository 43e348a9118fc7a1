// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "services/stoker/accounts.h"
#include "services/usage.h"
#include "shapes/stoker/account.h"
#include "shapes/stoker/key.h"
#include "state/keys.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;

class KeysTest : public testing::Test {
 protected:
  ~KeysTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Runs an operation; its wakes are recorded.
  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    const auto& rows = module_.service.operations;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Operation& one) { return one.wire.name == name; });
    Erased output = detail::nothing();
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_};
      output = row->run(call, &input);
      wakes_ = call.wakes;
    });
    if constexpr (!std::is_void_v<Output>) return std::move(*static_cast<Output*>(output.get()));
  }
  Key create_key() { return run<CreateKeyResponse>("CreateKey", CreateKeyRequest{}).key; }
  template <class Fn>
  static std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  }

  const std::string folder_ = testing::TempDir() + "keys-" + base::random_uuid();
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {state::key_migrations(), usage_migrations()});
  const Module module_ = module({});
  Caller caller_{.account = "111111111111", .root = true};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
  Locals locals_;
};

TEST_F(KeysTest, ADeletedKeyIsGoneAndItsTopicIsWoken) {
  const Key key = create_key();
  EXPECT_EQ(run<ListKeysResponse>("ListKeys", ListKeysRequest{}).keys.size(), 1u);
  run<void>("DeleteKey", DeleteKeyRequest{key.id});
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, state::key_topic(key.id));
  EXPECT_EQ(wakes_[0].most, Wake::kAll);
  EXPECT_TRUE(run<ListKeysResponse>("ListKeys", ListKeysRequest{}).keys.empty());
  EXPECT_EQ(error_of([&] { run<void>("DeleteKey", DeleteKeyRequest{key.id}); }), "KeyNotFoundException");
}

TEST_F(KeysTest, TheTemporaryKeysOfADeletedKeyAreWokenToo) {
  const Key key = create_key();
  const state::Key session =
      state::new_session_key({.id = key.id, .account = "111111111111"}, now_, now_ + std::chrono::hours(1));
  store_->write_now([&](store::Tx& tx) { state::insert_key(tx, session); });
  run<void>("DeleteKey", DeleteKeyRequest{key.id});
  ASSERT_EQ(wakes_.size(), 2u);
  EXPECT_TRUE(wakes_[0].topic == state::key_topic(session.id) || wakes_[1].topic == state::key_topic(session.id));
}

TEST_F(KeysTest, OnlyTheRootKeyManagesKeys) {
  caller_.root = false;
  EXPECT_EQ(error_of([&] { create_key(); }), "AccessDeniedException");
  EXPECT_EQ(error_of([&] { run<ListKeysResponse>("ListKeys", ListKeysRequest{}); }), "AccessDeniedException");
}

TEST_F(KeysTest, AnImportWithAnInvalidKeyImportsNothing) {
  ImportKeysRequest request;
  request.keys = {{"AKIDGOOD", "secret"}, {"not a key", "secret"}};
  EXPECT_EQ(error_of([&] { run<ImportKeysResponse>("ImportKeys", request); }), "ValidationException");
  EXPECT_TRUE(run<ListKeysResponse>("ListKeys", ListKeysRequest{}).keys.empty());
}

TEST_F(KeysTest, AccountsAreListedWithTheirQuotas) {
  locals_.add<Quotas>(Quotas{.each = {.queues = 5}, .accounts = {{"222222222222", {.bytes = 10}}}});
  store_->write_now([](store::Tx& tx) {
    add_usage(tx, "222222222222", {.bytes = 7, .queues = 1});
    add_usage(tx, "111111111111", {.bytes = 9, .objects = 2});
  });
  const auto list = [&] { return run<ListAccountsResponse>("ListAccounts", ListAccountsRequest{}).accounts; };
  const auto all = list();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].account, "111111111111");
  EXPECT_EQ(all[0].objects, 2);
  EXPECT_EQ(all[0].maxBytes, std::nullopt);
  EXPECT_EQ(all[0].maxQueues, 5);
  EXPECT_EQ(all[1].bytes, 7);
  EXPECT_EQ(all[1].maxBytes, 10);
  caller_ = {.account = "222222222222"};
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(list()[0].bytes, 7) << "any other key sees its own account";
}

TEST_F(KeysTest, TheMetricsOfAccountsHaveABound) {
  store_->write_now([](store::Tx& tx) {
    for (int i = 0; i < 150; ++i) add_usage(tx, std::to_string(100000000000 + i), {.bytes = i});
  });
  store_->write_now([&](store::Tx& tx) {
    Call call{tx, caller_, now_, now_, &locals_};
    const auto gauges = account_gauges(call);
    ASSERT_EQ(gauges.size(), 300u);
    EXPECT_EQ(gauges[0].labels.at("account"), "100000000149") << "those with the most bytes";
    EXPECT_EQ(gauges[0].value, 149);
  });
}

}  // namespace
}  // namespace services::stoker
