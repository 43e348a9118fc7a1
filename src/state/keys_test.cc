// SPDX-License-Identifier: Apache-2.0
#include "state/keys.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "store/test_store.h"

namespace state {
namespace {

class Keys : public testing::Test {
 protected:
  Keys() : folder_(testing::TempDir() + "keys-" + base::random_uuid()) {
    store_ = store::open_test_store(folder_, {key_migrations()});
  }
  ~Keys() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  base::Time now_ = base::from_seconds(1800000000);
};

TEST_F(Keys, TheRootKeyIsMadeOnce) {
  Key first, second;
  store_->write_now([&](store::Tx& tx) { first = ensure_root_key(tx, "111111111111", now_); });
  store_->write_now([&](store::Tx& tx) { second = ensure_root_key(tx, "222222222222", now_); });
  EXPECT_EQ(first.id, second.id);
  EXPECT_EQ(second.account, "111111111111");
  EXPECT_TRUE(second.root);
  EXPECT_EQ(first.id.size(), 20u);
  EXPECT_EQ(first.secret.size(), 40u);
}

TEST_F(Keys, AnIdIsTakenOnce) {
  store_->write_now([&](store::Tx& tx) {
    Key key = new_key("111111111111", now_);
    EXPECT_TRUE(insert_key(tx, key));
    EXPECT_FALSE(insert_key(tx, key));
  });
}

TEST_F(Keys, ASessionKeyEndsByItself) {
  store_->write_now([&](store::Tx& tx) {
    const auto hour = std::chrono::hours(1);
    Key key = new_session_key(new_key("111111111111", now_), now_, now_ + hour);
    EXPECT_TRUE(key.id.starts_with("ASIA"));
    insert_key(tx, key);
    EXPECT_EQ(count_sessions(tx, "111111111111", now_), 1);
    EXPECT_EQ(count_sessions(tx, "111111111111", now_ + hour), 0);
    EXPECT_TRUE(list_keys(tx).empty());
    delete_expired_keys(tx, now_ + hour);
    EXPECT_TRUE(find_key(tx, key.id));
    delete_expired_keys(tx, now_ + 25 * hour);
    EXPECT_FALSE(find_key(tx, key.id));
  });
}

TEST_F(Keys, TheSessionsOfADeletedKeyEndWithIt) {
  store_->write_now([&](store::Tx& tx) {
    Key key = new_key("111111111111", now_), other = new_key("111111111111", now_);
    Key session = new_session_key(key, now_, now_ + std::chrono::hours(1));
    for (const Key& one : {key, other, session}) insert_key(tx, one);
    EXPECT_EQ(delete_key(tx, key.id).size(), 2u);
    EXPECT_FALSE(find_key(tx, session.id));
    EXPECT_TRUE(find_key(tx, other.id));
  });
}

TEST_F(Keys, KeysOfMachinesAreCountedWithoutThoseThatWereRemoved) {
  store_->write_now([&](store::Tx& tx) {
    const Key first = new_machine_key("111111111111", now_), second = new_machine_key("111111111111", now_);
    for (const Key& key : {first, second, new_machine_key("222222222222", now_), new_key("111111111111", now_)}) {
      insert_key(tx, key);
    }
    EXPECT_EQ(count_machine_keys(tx, "111111111111"), 2);
    retire_machine_key(tx, first.id, now_);
    EXPECT_EQ(count_machine_keys(tx, "111111111111"), 1);
  });
}

// Ten thousand machines may join within minutes.
TEST(KeyIndexes, KeysOfMachinesAreCountedByAnIndexAlsoAfterAnUpgrade) {
  const std::string folder = testing::TempDir() + "key-index-" + base::random_uuid();
  store::Migrations before = key_migrations();
  before.steps.resize(3);
  store::open_sqlite(folder, {before});
  std::string plan;
  store::open_sqlite(folder, {key_migrations()})->read_now([&](store::Tx& tx) {
    tx.query(std::string("EXPLAIN QUERY PLAN ") + kCountMachineKeys, "111111111111").each([&](const store::Row& row) {
      plan += row.str(3);
    });
  });
  EXPECT_NE(plan.find("USING COVERING INDEX access_keys_machines"), plan.npos) << plan;
  std::filesystem::remove_all(folder);
}

TEST(KeyNames, AreCheckedBeforeTheyAreKept) {
  EXPECT_TRUE(valid_account("000000000000"));
  EXPECT_FALSE(valid_account("00000000000"));
  EXPECT_FALSE(valid_account("00000000000x"));
  EXPECT_TRUE(valid_key_id("test"));
  EXPECT_FALSE(valid_key_id(""));
  EXPECT_FALSE(valid_key_id("a b"));
  EXPECT_FALSE(valid_key_id("a/b"));
}

}  // namespace
}  // namespace state
