// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
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
      Call call{tx, caller_, now_, now_};
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
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {state::key_migrations()});
  const Module module_ = module({});
  Caller caller_{.account = "111111111111", .root = true};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
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

}  // namespace
}  // namespace services::stoker
