// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/machine_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"
#include "services/stoker/module.h"
#include "state/cluster.h"
#include "state/join_token.h"
#include "state/keys.h"
#include "state/machine.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;
using testing::HasSubstr;
using testing::Not;

class MachineKeysTest : public testing::Test {
 protected:
  ~MachineKeysTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    const auto& rows = module_.service.operations;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Operation& one) { return one.wire.name == name; });
    Erased output = detail::nothing();
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_};
      output = row->run(call, &input);
    });
    if constexpr (!std::is_void_v<Output>) return std::move(*static_cast<Output*>(output.get()));
  }
  JoinToken create(CreateJoinTokenRequest request = {}) {
    return run<CreateJoinTokenResponse>("CreateJoinToken", request).joinToken;
  }
  void revoke(const std::string& id) { run<void>("RevokeJoinToken", RevokeJoinTokenRequest{id}); }

  // As the machine of this name; "AKIA...", or the error.
  std::string join_as(const std::string& machine, const std::string& token) {
    const JoinRequest request{token, machine + std::string(32, '.')};
    std::string result, checked;
    store_->write_now([&](store::Tx& tx) {
      const Caller nobody;
      Call call{tx, nobody, now_, now_};
      checked = message_of([&] { check_join(call, request); });
      result = message_of([&] { result = join(call, request).accessKeyId; }, result);
    });
    if (!result.starts_with("AKIA")) {
      EXPECT_EQ(checked, result) << "on a snapshot";
    }
    return result;
  }
  template <class Fn>
  static std::string message_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }
  template <class Fn>
  static std::string message_of(Fn&& fn, const std::string& otherwise) {
    const std::string message = message_of(fn);
    return message.empty() ? otherwise : message;
  }
  state::Key find(const std::string& id) {
    std::optional<state::Key> key;
    store_->read_now([&](store::Tx& tx) { key = state::find_key(tx, id); });
    return key.value();
  }
  // As if this key had registered.
  void register_machine(const std::string& key) {
    store_->write_now([&](store::Tx& tx) {
      state::Machine machine;
      machine.id = model::InstanceId(base::random_uuid());
      machine.name = "box-a";
      machine.machine_key = key;
      state::insert_machine(tx, machine);
    });
  }

  const std::string folder_ = testing::TempDir() + "join-" + base::random_uuid();
  std::unique_ptr<store::Store> store_ =
      store::open_test_store(folder_, {state::key_migrations(), state::cluster_migrations()});
  const Module module_ = module({});
  Caller caller_{.account = "111111111111", .region = "us-east-1"};
  base::Time now_ = base::from_seconds(1800000000);
};

TEST_F(MachineKeysTest, ATokenIsExchangedForAKeyThatIsOnlyAMachine) {
  const JoinToken token = create();
  EXPECT_EQ(token.expiresAt, now_ + std::chrono::hours(1));
  EXPECT_EQ(token.uses, 1);
  const state::Key key = find(join_as("a", *token.token));
  EXPECT_EQ(key.scope, state::KeyScope::Machine);
  EXPECT_EQ(key.account, "111111111111");
  EXPECT_FALSE(key.root);
  EXPECT_EQ(key.cluster, std::nullopt);
}

TEST_F(MachineKeysTest, AKeyThatDoesNotRegisterWithinAWeekEnds) {
  const std::string key = join_as("a", *create().token);
  const std::string of_amazons_agent =
      run<CreateMachineKeyResponse>("CreateMachineKey", CreateMachineKeyRequest()).key.id;
  EXPECT_EQ(find(key).register_by, now_ + std::chrono::hours(7 * 24));
  store_->write_now([&](store::Tx& tx) {
    EXPECT_FALSE(state::has_expired_keys(tx, now_));
    EXPECT_TRUE(state::end_unregistered_keys(tx, now_).empty());
    now_ += std::chrono::hours(7 * 24);
    EXPECT_TRUE(state::has_expired_keys(tx, now_));
    EXPECT_EQ(state::end_unregistered_keys(tx, now_), std::vector<std::string>{key});
  });
  EXPECT_EQ(find(key).expires_at, now_);
  EXPECT_EQ(find(of_amazons_agent).expires_at, std::nullopt) << "a person made it, for later";
}

TEST_F(MachineKeysTest, TheSecretOfATokenIsNotStored) {
  const JoinToken token = create();
  const std::string secret = token.token->substr(token.token->rfind('.') + 1);
  store_->read_now([&](store::Tx& tx) {
    const state::JoinToken stored = *state::find_join_token(tx, token.id);
    EXPECT_EQ(stored.hash, base::to_hex(base::sha256(secret)));
  });
}

TEST_F(MachineKeysTest, ATokenIsForOneMachineOrForAsManyAsItStates) {
  const JoinToken one = create();
  EXPECT_THAT(join_as("a", *one.token), HasSubstr("AKIA"));
  EXPECT_THAT(join_as("b", *one.token), HasSubstr("was used by 1 machine, and is for no more"));
  const JoinToken two = create({.uses = 2});
  EXPECT_THAT(join_as("a", *two.token), HasSubstr("AKIA"));
  EXPECT_THAT(join_as("b", *two.token), HasSubstr("AKIA"));
  EXPECT_THAT(join_as("c", *two.token), HasSubstr("was used by 2 machines"));
}

TEST_F(MachineKeysTest, AMachineThatRepeatsTheExchangeGetsTheSameKey) {
  const JoinToken token = create();
  const std::string key = join_as("a", *token.token);
  now_ += std::chrono::hours(2);
  EXPECT_EQ(join_as("a", *token.token), key) << "even if the token has expired since";
  EXPECT_THAT(join_as("b", *token.token), Not(HasSubstr("AKIA")));
}

TEST_F(MachineKeysTest, AKeyThatHasRegisteredOrWasRemovedIsNotSentAgain) {
  const JoinToken token = create({.uses = 3});
  register_machine(join_as("a", *token.token));
  EXPECT_THAT(join_as("a", *token.token), HasSubstr("This machine has joined with this token before"));
  const std::string key = join_as("b", *token.token);
  store_->write_now([&](store::Tx& tx) { state::retire_machine_key(tx, key, now_); });
  EXPECT_THAT(join_as("b", *token.token), HasSubstr("This machine has joined with this token before"));
}

TEST_F(MachineKeysTest, ATokenExpires) {
  const JoinToken token = create({.ttlSeconds = 60});
  now_ += std::chrono::seconds(60);
  EXPECT_THAT(join_as("a", *token.token), HasSubstr("InvalidJoinTokenException: The join token expired at 2027-"));
}

TEST_F(MachineKeysTest, ARevokedTokenIsRejectedEvenForAMachineThatUsedIt) {
  const JoinToken token = create({.uses = 2});
  join_as("a", *token.token);
  revoke(token.id);
  EXPECT_THAT(join_as("a", *token.token), HasSubstr("was revoked"));
  EXPECT_THAT(join_as("b", *token.token), HasSubstr("was revoked"));
  const auto listed = run<ListJoinTokensResponse>("ListJoinTokens", ListJoinTokensRequest{});
  ASSERT_EQ(listed.joinTokens.size(), 1u);
  EXPECT_EQ(listed.joinTokens[0].status, "REVOKED");
  EXPECT_EQ(listed.joinTokens[0].used, 1);
  EXPECT_EQ(listed.joinTokens[0].token, std::nullopt);
}

// Otherwise an id, which lists show, would reveal whether a token was used.
TEST_F(MachineKeysTest, NothingIsRevealedOfATokenWithoutItsSecret) {
  const JoinToken token = create({.ttlSeconds = 60});
  std::string guess = *token.token;
  guess.back() = guess.back() == 'x' ? 'y' : 'x';
  const std::string unknown = join_as("a", "stk1.aaaaaaaaaaaa." + std::string(40, 'x'));
  EXPECT_THAT(unknown, HasSubstr("The join token is invalid."));
  EXPECT_EQ(join_as("a", guess), unknown);
  now_ += std::chrono::hours(1);
  EXPECT_EQ(join_as("a", guess), unknown);
  EXPECT_EQ(join_as("a", "garbage"), unknown);
}

TEST_F(MachineKeysTest, ATokenOfAClusterMakesKeysOfThatCluster) {
  const JoinToken token = create({.cluster = "blue"});
  EXPECT_EQ(find(join_as("a", *token.token)).cluster, "us-east-1/blue");
  EXPECT_THAT(message_of([&] { create({.cluster = "a/b"}); }), HasSubstr("Invalid cluster name"));
}

TEST_F(MachineKeysTest, OnlyTheRootKeyActsForOtherAccounts) {
  const JoinToken mine = create();
  caller_.account = "222222222222";
  EXPECT_THAT(message_of([&] { create({.account = "111111111111"}); }), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(message_of([&] { revoke(mine.id); }), HasSubstr("JoinTokenNotFoundException"));
  EXPECT_TRUE(run<ListJoinTokensResponse>("ListJoinTokens", ListJoinTokensRequest{}).joinTokens.empty());
  EXPECT_THAT(message_of([&] { run<CreateMachineKeyResponse>("CreateMachineKey", CreateMachineKeyRequest{"111111111111", {}}); }),
              HasSubstr("AccessDeniedException"));
  caller_.root = true;
  EXPECT_EQ(create({.account = "111111111111"}).account, "111111111111");
  revoke(mine.id);
}

TEST_F(MachineKeysTest, TemporaryCredentialsMakeNothingThatOutlivesThem) {
  caller_.temporary = true;
  EXPECT_THAT(message_of([&] { create(); }), HasSubstr("AccessDeniedException"));
  EXPECT_THAT(message_of([&] { run<CreateMachineKeyResponse>("CreateMachineKey", CreateMachineKeyRequest{}); }),
              HasSubstr("AccessDeniedException"));
}

TEST_F(MachineKeysTest, LimitsAreNamed) {
  EXPECT_THAT(message_of([&] { create({.ttlSeconds = 59}); }), HasSubstr("ttlSeconds must be 60 to 2592000"));
  EXPECT_THAT(message_of([&] { create({.uses = 0}); }), HasSubstr("uses must be 1 to 10000"));
}

TEST_F(MachineKeysTest, ListsShowTheMachineOfAKeyAndNotTheRemovedOnes) {
  caller_.root = true;
  const Key key = run<CreateMachineKeyResponse>("CreateMachineKey", CreateMachineKeyRequest{}).key;
  EXPECT_EQ(find(key.id).secret, key.secret);
  EXPECT_EQ(run<ListKeysResponse>("ListKeys", ListKeysRequest{}).keys.at(0).machine, "");
  register_machine(key.id);
  EXPECT_EQ(run<ListKeysResponse>("ListKeys", ListKeysRequest{}).keys.at(0).machine, "box-a");
  run<void>("DeleteKey", DeleteKeyRequest{key.id});
  EXPECT_TRUE(run<ListKeysResponse>("ListKeys", ListKeysRequest{}).keys.empty());
  EXPECT_NE(find(key.id).secret, key.secret) << "it stays unusable where the clock is set back";
  EXPECT_THAT(message_of([&] { run<void>("DeleteKey", DeleteKeyRequest{key.id}); }), HasSubstr("KeyNotFoundException"));
}

}  // namespace
}  // namespace services::stoker
