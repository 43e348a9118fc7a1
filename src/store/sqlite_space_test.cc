// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_space.h"

#include <gtest/gtest.h>

#include "store/folder_lock.h"
#include "store/test_database.h"

namespace store {
namespace {

constexpr std::uint64_t kMoreThanAnyDisk = 1ull << 60;

class SqliteSpaceTest : public testing::Test {
 protected:
  SqliteSpaceTest() { connection_.exec("CREATE TABLE names (id INTEGER PRIMARY KEY, name)"); }

  // Of an account, or the server's own.
  bool succeeds(SqliteSpace& space, const std::string& account, const Store::Work& work) {
    std::vector<Job> batch(1);
    batch[0].work = work;
    batch[0].account = account;
    space.limit_growth(batch);
    writer_.commit(batch);
    space.rescue(writer_, batch);
    return !batch[0].error;
  }
  std::int64_t rows() {
    std::int64_t count = 0;
    connection_.prepare("SELECT count(*) FROM names").run({}, [&](const Row& row) { count = row.integer(0); });
    return count;
  }
  std::string new_file() const {
    create_private_file(folder_.path(), folder_.path() + "/stoker.db");
    return folder_.path() + "/stoker.db";
  }
  // About so many pages.
  static Store::Work store_pages(int pages) {
    return [pages](Tx& tx) {
      for (int i = 0; i < pages; ++i) tx.exec("INSERT INTO names (name) VALUES ($1)", std::string(3900, 'x'));
    };
  }
  static void drop_some(Tx& tx) { tx.exec("DELETE FROM names WHERE id % 2 = 0"); }

  TemporaryFolder folder_;
  const std::string path_ = new_file();
  SqliteConnection connection_{path_, SqliteConnection::Mode::ReadWrite};
  SqliteWriter writer_{connection_, kMaxWriteTime};
};

TEST_F(SqliteSpaceTest, WhereSpaceIsScarceAccountsMayNotGrow) {
  base::DiskSpace scarce(folder_.path(), kMoreThanAnyDisk);
  scarce.measure();
  SqliteSpace space(path_, connection_, &scarce);
  EXPECT_TRUE(succeeds(space, "", store_pages(100))) << "the server's own work";
  EXPECT_FALSE(succeeds(space, "a", store_pages(20)));
  EXPECT_EQ(rows(), 100) << "it was undone";
  EXPECT_TRUE(succeeds(space, "a", [](Tx& tx) { tx.exec("UPDATE names SET name = 'y' || substr(name, 2)"); }));
  EXPECT_TRUE(succeeds(space, "a", drop_some));
  EXPECT_EQ(rows(), 50);
}

TEST_F(SqliteSpaceTest, TheLittleThatADeletionMayNeedHasALimitForAll) {
  base::DiskSpace scarce(folder_.path(), kMoreThanAnyDisk);
  scarce.measure();
  SqliteSpace space(path_, connection_, &scarce);
  int succeeded = 0;
  for (int i = 0; i < 100; ++i) succeeded += succeeds(space, i % 2 ? "a" : "b", store_pages(2));
  EXPECT_GT(succeeded, 20);
  EXPECT_LT(succeeded, 40);
  EXPECT_TRUE(succeeds(space, "a", drop_some));
  EXPECT_TRUE(succeeds(space, "b", store_pages(2))) << "there is room again";
}

TEST_F(SqliteSpaceTest, OtherwiseTheyMay) {
  base::DiskSpace plenty(folder_.path(), 0);
  SqliteSpace space(path_, connection_, &plenty);
  EXPECT_TRUE(succeeds(space, "a", store_pages(200)));
  SqliteSpace unknown(path_, connection_, nullptr);
  EXPECT_TRUE(succeeds(unknown, "a", store_pages(200)));
}

}  // namespace
}  // namespace store
