// SPDX-License-Identifier: Apache-2.0
#include "state/join_token.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "state/keys.h"
#include "store/test_store.h"

namespace state {
namespace {

TEST(JoinWord, IsOneWordAndIsParsedBack) {
  const JoinWord word = new_join_word();
  EXPECT_TRUE(word.text().starts_with("stk1."));
  const auto parsed = parse_join_word(word.text());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->id, word.id);
  EXPECT_EQ(parsed->secret, word.secret);
  EXPECT_NE(new_join_word().secret, word.secret);
  EXPECT_EQ(word.hash().find(word.secret), std::string::npos);
}

TEST(JoinWord, AMalformedOneIsRejected) {
  const std::string text = new_join_word().text();
  EXPECT_FALSE(parse_join_word(""));
  EXPECT_FALSE(parse_join_word("stk1."));
  EXPECT_FALSE(parse_join_word(text + "x"));
  EXPECT_FALSE(parse_join_word(text.substr(1)));
  EXPECT_FALSE(parse_join_word("stk2" + text.substr(4)));
  for (const std::size_t at : {5u, 17u, 18u, 57u}) {
    std::string odd = text;
    odd[at] = '!';
    EXPECT_FALSE(parse_join_word(odd)) << at;
  }
}

TEST(JoinToken, IsDeletedADayAfterItExpired) {
  const std::string folder = testing::TempDir() + "tokens-" + base::random_uuid();
  auto store = store::open_test_store(folder, {key_migrations()});
  const base::Time now = base::from_seconds(1800000000);
  JoinToken token;
  token.id = "abc";
  token.account = "111111111111";
  token.created_at = now;
  token.expires_at = now + std::chrono::hours(1);
  store->write_now([&](store::Tx& tx) {
    insert_join_token(tx, token);
    insert_join_use(tx, "abc", "machine", "AKIA");
    delete_expired_keys(tx, now + std::chrono::hours(24));
    EXPECT_EQ(find_join_token(tx, "abc")->used, 1);
    EXPECT_EQ(find_join_use(tx, "abc", "machine"), "AKIA");
    EXPECT_FALSE(has_expired_keys(tx, now + std::chrono::hours(24)));
    EXPECT_TRUE(has_expired_keys(tx, now + std::chrono::hours(25)));
    delete_expired_keys(tx, now + std::chrono::hours(25));
    EXPECT_FALSE(find_join_token(tx, "abc"));
    EXPECT_FALSE(find_join_use(tx, "abc", "machine"));
  });
  store.reset();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace state
