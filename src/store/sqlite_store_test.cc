// SPDX-License-Identifier: Apache-2.0
// SQLite only: its folder, its lock, its disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "store/account_work.h"
#include "store/test_database.h"

namespace store {
namespace {

using testing::HasSubstr;

const std::vector<Migrations> kSqliteTables{
    {"test", {"CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE names (name TEXT UNIQUE)"}}};

// The error message, or "".
template <class Fn>
std::string sqlite_error_of(ErrorKind kind, Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "";
}

mode_t mode_of(const std::string& path) {
  struct stat found {};
  stat(path.c_str(), &found);
  return found.st_mode & 07777;
}

TEST(SqliteStore, CreatesAPrivateFolder) {
  TemporaryFolder above;
  std::string folder = above.path() + "/not/yet/there/";
  auto store = open_sqlite(folder, kSqliteTables);
  EXPECT_EQ(mode_of(folder), 0700u);
  for (const char* name : {"stoker.db", "stoker.db-wal", "lock"}) EXPECT_EQ(mode_of(folder + name), 0600u) << name;
}

TEST(SqliteStore, AFolderInUseIsRejectedWithTheProcessThatHoldsIt) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  EXPECT_EQ(sqlite_error_of(ErrorKind::Busy, [&] { database.open(kSqliteTables); }),
            "the data folder " + database.folder() + " is in use by process " + std::to_string(getpid()));
  store.reset();
  EXPECT_EQ(sqlite_error_of(ErrorKind::Busy, [&] { database.open(kSqliteTables); }), "");
}

TEST(SqliteStore, AFolderThatCannotBeCreatedIsNamed) {
  EXPECT_EQ(sqlite_error_of(ErrorKind::Other, [] { open_sqlite("/proc/stoker", kSqliteTables); }),
            "cannot create the data folder /proc/stoker: No such file or directory");
  EXPECT_EQ(sqlite_error_of(ErrorKind::Other, [] { open_sqlite("/dev/null/data", kSqliteTables); }),
            "cannot create the data folder /dev/null/data: Not a directory");
}

TEST(SqliteStore, AFolderThatCannotBeWrittenIsNamed) {
  EXPECT_THAT(sqlite_error_of(ErrorKind::Other, [] { open_sqlite("/proc/self", kSqliteTables); }),
              HasSubstr("cannot write in the data folder /proc/self: "));
}

TEST(SqliteStore, AnInvalidDatabaseFileIsReportedAsDamaged) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/stoker.db") << std::string(4096, 'x');
  EXPECT_THAT(sqlite_error_of(ErrorKind::Damaged, [&] { open_sqlite(folder.path(), kSqliteTables); }),
              HasSubstr("cannot open " + folder.path() + "/stoker.db: file is not a database"));
}

TEST(SqliteStore, InvalidUtf8IsStoredUnchanged) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  const std::string bytes("\xff\x00\xc3(", 4);
  store->write_now([&](Tx& tx) { tx.exec("INSERT INTO names (name) VALUES ($1)", bytes); });
  store->read_now([&](Tx& tx) {
    tx.query("SELECT name FROM names WHERE name = $1", bytes).each([&](const Row& row) {
      EXPECT_EQ(row.text(0), bytes);
    });
    EXPECT_EQ(tx.query("SELECT count(*) FROM names WHERE name = $1", bytes).integer(), 1);
  });
}

TEST(SqliteStore, ClosingRemovesTheLog) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  store->write_now([](Tx& tx) { tx.exec("INSERT INTO names (name) VALUES ('a')"); });
  EXPECT_TRUE(std::filesystem::exists(database.folder() + "/stoker.db-wal"));
  store.reset();
  EXPECT_FALSE(std::filesystem::exists(database.folder() + "/stoker.db-wal"));
}

// Simulates a disk with room for a number of pages.
void limit_pages(Store& store, std::int64_t more) {
  store.write_now([&](Tx& tx) {
    auto most = tx.query("PRAGMA page_count").integer() + more;
    tx.query("PRAGMA max_page_count = " + std::to_string(most)).integer();
  });
}

void add_large(Tx& tx, std::size_t bytes) { tx.exec("INSERT INTO items (body) VALUES ($1)", std::string(bytes, 'x')); }

TEST(SqliteStore, AFullDiskIsReportedAndWritesSucceedOnceThereIsSpace) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  limit_pages(*store, 10);
  EXPECT_THAT(sqlite_error_of(ErrorKind::Full, [&] { store->write_now([](Tx& tx) { add_large(tx, 1 << 20); }); }),
              HasSubstr("full"));
  store->write_now([](Tx& tx) { add_large(tx, 10); });
  limit_pages(*store, 10000);
  store->write_now([](Tx& tx) { add_large(tx, 1 << 20); });
  store.reset();
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "2");
}

// SQLite gives up the whole transaction when the disk is full: the works that were
// good must be done again, and none answered that is not there.
TEST(SqliteStore, AWorkTooLargeForTheDiskFailsAloneInItsBatch) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  limit_pages(*store, 20);
  std::promise<void> gathered;
  std::shared_future<void> all_queued = gathered.get_future().share();
  std::atomic<int> good = 0;
  std::atomic<int> full = 0;
  store->write([=](Tx&) { all_queued.wait(); }, [](std::exception_ptr) {});
  for (int i = 0; i < 50; ++i) {
    store->write(
        [i](Tx& tx) {
          tx.exec("INSERT INTO names (name) VALUES ($1)", std::to_string(i));
          if (i % 10 == 5) add_large(tx, 1 << 20);
        },
        [&](std::exception_ptr error) { ++(error ? full : good); });
  }
  gathered.set_value();
  store.reset();
  EXPECT_EQ(full, 5);
  EXPECT_EQ(good, 45);
  EXPECT_EQ(database.value("SELECT count(*) FROM names"), "45");
  EXPECT_EQ(database.value("SELECT count(*) FROM names WHERE name IN ('5', '15', '25', '35', '45')"), "0");
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "0");
}

// While it lives no file of this process grows beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

// The pages go to the log at COMMIT, so it is COMMIT that fails.
TEST(SqliteStore, AFailedCommitFailsItsBatchAndLaterWritesSucceed) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  std::atomic<int> failed = 0;
  {
    FileSizeLimit limit(std::filesystem::file_size(database.folder() + "/stoker.db-wal"));
    std::promise<void> gathered;
    std::shared_future<void> all_queued = gathered.get_future().share();
    store->write([=](Tx&) { all_queued.wait(); }, [](std::exception_ptr) {});
    for (int i = 0; i < 10; ++i) {
      store->write([i](Tx& tx) { tx.exec("INSERT INTO names (name) VALUES ($1)", std::to_string(i)); },
                   [&](std::exception_ptr error) { failed += error ? 1 : 0; });
    }
    gathered.set_value();
    EXPECT_THAT(sqlite_error_of(ErrorKind::Other, [&] { store->write_now([](Tx& tx) { add_large(tx, 10); }); }),
                HasSubstr("disk I/O error, in: COMMIT"));
  }
  EXPECT_EQ(failed, 10);
  store->write_now([](Tx& tx) { tx.exec("INSERT INTO names (name) VALUES ('later')"); });
  store.reset();
  EXPECT_EQ(database.value("SELECT group_concat(name) FROM names"), "later");
}

TEST(SqliteStore, TheLogIsCheckpointedAsItGrows) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  constexpr int kMegabytes = 150;
  for (int i = 0; i < kMegabytes; ++i) store->write_now([](Tx& tx) { add_large(tx, 1 << 20); });
  EXPECT_LT(std::filesystem::file_size(database.folder() + "/stoker.db-wal"), 80u << 20);
  EXPECT_GT(std::filesystem::file_size(database.folder() + "/stoker.db"), 70u << 20);
}

TEST(SqliteStore, ALongReadDoesNotBlockWritesWhileTheLogGrows) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  store->write_now([](Tx& tx) { add_large(tx, 10); });
  store->read_now([&](Tx& tx) {
    EXPECT_EQ(tx.query("SELECT count(*) FROM items").integer(), 1);
    for (int i = 0; i < 80; ++i) store->write_now([](Tx& other) { add_large(other, 1 << 20); });
    EXPECT_EQ(tx.query("SELECT count(*) FROM items").integer(), 1);
  });
  store->write_now([](Tx& tx) { add_large(tx, 10); });
  store.reset();
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "82");
}

// Failing works come in clusters, so that there are both kinds of batches: those that are rolled back as a whole and
// run again, and those with a savepoint for each work.
TEST(SqliteStore, AmongManyWorksTheFailedOnesLeaveNothingAndAreNotified) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  constexpr int kWorks = 5000;
  std::set<int> cache;  // on the writer's thread alone
  std::atomic<int> failed = 0;
  for (int i = 0; i < kWorks; ++i) {
    store->write(
        [i, &cache](Tx& tx) {
          EXPECT_TRUE(cache.insert(i).second) << i;
          tx.on_end([i, &cache](bool committed) {
            if (!committed) cache.erase(i);
          });
          tx.exec("INSERT INTO names (name) VALUES ($1)", std::to_string(i));
          if (i / 500 % 2 == 1 && i % 50 == 0) throw std::runtime_error("no");
          if (i / 500 % 2 == 1 && i % 50 == 1) tx.exec("INSERT INTO names (name) VALUES ($1)", std::to_string(i));
        },
        [&](std::exception_ptr error) { failed += error ? 1 : 0; });
  }
  store.reset();
  EXPECT_EQ(failed, 100);
  EXPECT_EQ(cache.size(), kWorks - 100u);
  EXPECT_EQ(database.value("SELECT count(*) FROM names"), std::to_string(kWorks - 100));
  EXPECT_EQ(database.value("SELECT count(*) FROM names WHERE name IN ('500', '501', '4950', '4951')"), "0");
}

// Pages that do not fit into memory go to the log before the commit, and are read from there.
TEST(SqliteStore, AWorkLargerThanTheCacheSeesWhatItWrote) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  constexpr int kMegabytes = 100;
  store->write_now([&](Tx& tx) {
    for (int i = 0; i < kMegabytes; ++i) add_large(tx, 1 << 20);
    EXPECT_EQ(tx.query("SELECT sum(length(replace(body, 'y', ''))) FROM items").integer(), kMegabytes << 20);
    tx.exec("UPDATE items SET body = replace(body, 'x', 'y') WHERE id % 2 = 0");
  });
  store->read_now([&](Tx& tx) {
    EXPECT_EQ(tx.query("SELECT sum(length(replace(body, 'y', ''))) FROM items").integer(), kMegabytes << 19);
  });
  store.reset();
  EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
}

// While it lives, `has_space` decides whether a write finds space.
using HasSpace = bool (*)();
template <HasSpace has_space>
class FullDisk {
 public:
  FullDisk() { set(reinterpret_cast<sqlite3_syscall_ptr>(&write)); }
  ~FullDisk() { set(nullptr); }

 private:
  static ssize_t write(int file, const void* bytes, std::size_t count, off_t at) {
    if (has_space()) return pwrite(file, bytes, count, at);
    errno = ENOSPC;
    return -1;
  }
  static void set(sqlite3_syscall_ptr write) {
    sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
    for (const char* name : {"pwrite", "pwrite64"}) vfs->xSetSystemCall(vfs, name, write);
  }
};

bool never() { return false; }

// On the writer's thread. Other threads always have space: a checkpoint would only log the failure.
thread_local std::optional<std::minstd_rand> space_comes_and_goes;
bool now_and_then() { return !space_comes_and_goes || (*space_comes_and_goes)() % 64 != 0; }

// If the disk is full for a moment, a flush of buffered pages fails, whichever work wrote them. If a read causes the
// flush, SQLite undoes only the reading statement.
TEST(SqliteStore, RowsOfOneWorkSurviveWhenAnotherFindsTheDiskFull) {
  SqliteTestDatabase database;
  auto store = database.open({{"test", {"CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT NOT NULL)"}}});
  constexpr int kMegabytes = 80;  // more than the cache holds
  // The first work fails, so that all get savepoints.
  std::promise<void> gathered;
  std::shared_future<void> all_queued = gathered.get_future().share();
  store->write([=](Tx&) { all_queued.wait(); }, [](std::exception_ptr) {});
  std::atomic<int> good = 0, failed = 0;
  const auto count = [&](std::exception_ptr error) { ++(error ? failed : good); };
  store->write(
      [](Tx& tx) {
        add_large(tx, 1);
        throw std::runtime_error("no");
      },
      count);
  store->write([](Tx& tx) { for (int i = 0; i < kMegabytes; ++i) add_large(tx, 1 << 20); }, count);
  store->write(
      [](Tx& tx) {
        FullDisk<never> full;
        tx.exec("UPDATE items SET body = replace(body, 'x', 'y')");
      },
      count);
  store->write([](Tx& tx) { add_large(tx, 1 << 20); }, count);
  gathered.set_value();
  store.reset();
  EXPECT_EQ(good, 2);
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(database.value("SELECT sum(length(replace(body, 'y', ''))) FROM items"),
            std::to_string((kMegabytes + 1) << 20));
  EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
}

TEST(SqliteStore, LeftoversOfAWorkThatFoundTheDiskFullDoNotFailOthers) {
  SqliteTestDatabase database;
  auto store = database.open({{"test", {"CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT NOT NULL)"}}});
  store->write_now([](Tx& tx) { add_large(tx, 10); });
  std::optional<FullDisk<never>> full;
  sqlite_error_of(ErrorKind::Full, [&] {
    store->write_now([&](Tx& tx) {
      for (int i = 0; i < 80; ++i) add_large(tx, 1 << 20);  // more than the cache holds
      full.emplace();
      tx.exec("UPDATE items SET body = replace(body, 'x', 'y')");
    });
  });
  EXPECT_TRUE(full);
  store->write_now([](Tx& tx) { EXPECT_EQ(tx.query("SELECT count(*) FROM items").integer(), 1); });
  full.reset();
  store->write_now([](Tx& tx) { add_large(tx, 10); });
  store.reset();
  EXPECT_EQ(database.value("SELECT count(*) FROM items"), "2");
}

// Each work computes new values from old ones, so that the test notices a lost or repeated work.
TEST(SqliteStore, OnADiskThatIsFullNowAndThenEveryReportedCommitIsDurable) {
  SqliteTestDatabase database;
  auto store = database.open(
      {{"test", {"CREATE TABLE rows (id INTEGER PRIMARY KEY, value INTEGER NOT NULL, pad TEXT NOT NULL)"}}});
  constexpr std::int64_t kRows = 300, kWorks = 500, kTogether = 100;
  const std::string pad(9000, 'x');
  store->write_now([&](Tx& tx) {
    tx.exec("PRAGMA cache_size = 30");  // far fewer pages than there are
    for (std::int64_t i = 0; i < kRows; ++i) tx.exec("INSERT INTO rows VALUES ($1, 0, $2)", i, pad);
  });
  std::vector<char> done(kWorks, 0);
  {
    FullDisk<now_and_then> disk;
    std::promise<void> queued;
    for (std::int64_t i = 0; i < kWorks; ++i) {
      if (i % kTogether == 0) {  // they wait for each other, so that the batches are alike in each run
        std::promise<void> next;
        store->write([all = next.get_future().share()](Tx&) { all.wait(); }, [](std::exception_ptr) {});
        queued.set_value();
        queued = std::move(next);
      }
      store->write(
          [i, &pad](Tx& tx) {
            if (!space_comes_and_goes) space_comes_and_goes.emplace(1);
            tx.exec("INSERT INTO rows VALUES ($1, 0, $2)", kRows + i, pad);
            tx.exec("UPDATE rows SET value = (value * 31 + $1) % 1000003 WHERE id % 30 = $2", i, i % 30);
            if (i % 97 == 0) throw std::runtime_error("no");
          },
          [i, &done](std::exception_ptr error) { done[static_cast<std::size_t>(i)] = !error; });
    }
    store->write([](Tx&) { space_comes_and_goes.reset(); }, [](std::exception_ptr) {});
    queued.set_value();
    store.reset();
  }
  std::map<std::int64_t, std::int64_t> values;
  for (std::int64_t i = 0; i < kRows; ++i) values[i] = 0;
  for (std::int64_t i = 0; i < kWorks; ++i) {
    if (!done[static_cast<std::size_t>(i)]) continue;
    values[kRows + i] = 0;
    for (auto& [row, value] : values) {
      if (row % 30 == i % 30) value = (value * 31 + i) % 1000003;
    }
  }
  EXPECT_GT(std::ssize(values), kRows + kWorks / 4);
  EXPECT_LT(std::ssize(values), kRows + kWorks - kWorks / 97);
  std::string expected;
  for (const auto& [row, value] : values) expected += (expected.empty() ? "" : ",") + std::to_string(value);
  EXPECT_EQ(database.value("SELECT group_concat(value) FROM (SELECT value FROM rows ORDER BY id)"), expected);
  EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
}

TEST(SqliteStore, AWorkThatIgnoresAFullDiskWritesNothingOutsideItsTransaction) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  limit_pages(*store, 5);
  sqlite_error_of(ErrorKind::Full, [&] {
    store->write_now([](Tx& tx) {
      try {
        add_large(tx, 1 << 20);
      } catch (const Error&) {
        tx.exec("INSERT INTO names (name) VALUES ('outside')");
      }
    });
  });
  store.reset();
  EXPECT_EQ(database.value("SELECT count(*) FROM names"), "0");
}

TEST(SqliteStore, AReadOnTheCallersThreadSeesWhatIsCommitted) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  store->write_now([](Tx& tx) { tx.exec("INSERT INTO names (name) VALUES ('one')"); });
  std::int64_t count = 0;
  std::thread::id reader;
  EXPECT_TRUE(store->read_here([&](Tx& tx) {
    count = tx.query("SELECT count(*) FROM names").integer();
    reader = std::this_thread::get_id();
  }));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(reader, std::this_thread::get_id());
}

TEST(SqliteStore, AFailedReadOnTheCallersThreadRethrowsAndEnds) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  for (int i = 0; i < 10; ++i) {
    EXPECT_THROW(store->read_here([](Tx&) { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_THROW(store->read_here([](Tx& tx) { tx.exec("INSERT INTO names (name) VALUES ('x')"); }), Error);
  }
  EXPECT_TRUE(store->read_here([](Tx& tx) { tx.query("SELECT name FROM names").integer(); }));
}

TEST(SqliteStore, ALongReadLeavesTheCallersThread) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  const Store::Work endless = [](Tx& tx) {
    tx.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n").integer();
  };
  EXPECT_FALSE(store->read_here(AccountWork{"a", endless}));
  EXPECT_FALSE(store->read_here(endless));
  EXPECT_TRUE(store->read_here([](Tx& tx) { tx.query("SELECT name FROM names").integer(); }));
}

TEST(SqliteStore, ConcurrentReadsOnCallersThreadsAreLimited) {
  SqliteTestDatabase database;
  auto store = database.open(kSqliteTables);
  int deep = 0;
  std::function<void(Tx&)> deeper = [&](Tx&) {
    ++deep;
    store->read_here(deeper);
  };
  EXPECT_TRUE(store->read_here(deeper));
  EXPECT_EQ(deep, 2);
}

}  // namespace
}  // namespace store
