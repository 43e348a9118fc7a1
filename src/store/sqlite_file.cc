// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_file.h"

#include <filesystem>

#include "base/file.h"
#include "store/folder_lock.h"
#include "store/sqlite_connection.h"

namespace store {
namespace {

using Mode = SqliteConnection::Mode;

class FileTx final : public Tx {
 public:
  explicit FileTx(SqliteConnection& connection) : connection_(connection) {}
  std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) override {
    return connection_.prepare(sql).run(params, each);
  }

 private:
  SqliteConnection& connection_;
};

void copy_pages(SqliteConnection& from, SqliteConnection& to) {
  sqlite3_backup* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (!backup) throw to.error("backup");
  // All at once: between two steps the server would write, and the copy begin anew.
  const int stepped = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (stepped == SQLITE_DONE && finished == SQLITE_OK) return;
  const int code = stepped == SQLITE_DONE ? finished : stepped;
  const ErrorKind kind = (code & 0xff) == SQLITE_FULL ? ErrorKind::Full : ErrorKind::Other;
  throw Error(kind, std::string("cannot copy the database: ") + sqlite3_errstr(code));
}

Mode mode_of_source(Source source) {
  switch (source) {
    case Source::Live: return Mode::ReadOnly;
    case Source::Closed: return Mode::ReadWrite;
    case Source::Copy: return Mode::Unchanging;
  }
  return Mode::ReadOnly;
}

}  // namespace

void copy_database(const std::string& from, Source source, const std::string& to) {
  const std::string folder = std::filesystem::path(to).parent_path().string();
  create_private_file(folder, to);
  {
    SqliteConnection original(from, mode_of_source(source));
    SqliteConnection copy(to, Mode::ReadWrite);
    copy.exec("PRAGMA synchronous = OFF");  // one sync at the end
    copy_pages(original, copy);
    // The copy of a database with a log would have one as well.
    copy.exec("PRAGMA journal_mode = DELETE");
  }
  base::File::open(to).sync();
  base::sync_folder(folder);
}

void read_database(const std::string& path, const Store::Work& work) {
  SqliteConnection connection(path, Mode::Unchanging);
  FileTx tx(connection);
  work(tx);
}

std::vector<std::string> check_database(const std::string& path) {
  std::vector<std::string> problems;
  read_database(path, [&](Tx& tx) {
    tx.query("PRAGMA integrity_check(20)").each([&](const Row& row) {
      if (row.text(0) != "ok") problems.push_back(row.str(0));
    });
  });
  return problems;
}

}  // namespace store
