// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_wal_buffer.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace store {
namespace {

constexpr char kName[] = "stoker-unix";
constexpr int kBufferBytes = 0x1ffff;  // unixWrite's maximum: it keeps only the low bits of a larger count

sqlite3_vfs* plain_vfs() { return sqlite3_vfs_find(nullptr); }

// Allocated by SQLite, followed by the real file.
struct LogFile {
  sqlite3_file methods;  // must be first: SQLite's own view of it
  char* bytes;           // kBufferBytes, allocated by the first write
  int count;             // number of buffered bytes,
  sqlite3_int64 at;      // to write at this offset

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

LogFile& log_of(sqlite3_file* file) { return *reinterpret_cast<LogFile*>(file); }

// On failure the buffer remains: a read that fails for this reason may undo only its statement, while the pages of
// earlier works must still be written.
int flush(LogFile& log) {
  if (log.count == 0) return SQLITE_OK;
  const int code = log.real()->pMethods->xWrite(log.real(), log.bytes, log.count, log.at);
  if (code == SQLITE_OK) log.count = 0;
  return code;
}

// For a write and a sync: if one fails, SQLite rolls back the whole transaction, so that its pages are useless.
int flush_or_drop(LogFile& log) {
  const int code = flush(log);
  log.count = 0;
  return code;
}

int close(sqlite3_file* file) {
  LogFile& log = log_of(file);
  const int flushed = flush(log);
  sqlite3_free(log.bytes);
  const int closed = log.real()->pMethods->xClose(log.real());
  return flushed != SQLITE_OK ? flushed : closed;
}

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  LogFile& log = log_of(file);
  const bool continues = log.count > 0 && at == log.at + log.count && count <= kBufferBytes - log.count;
  if (!continues) {
    if (int code = flush_or_drop(log); code != SQLITE_OK) return code;
    if (!log.bytes) log.bytes = static_cast<char*>(sqlite3_malloc(kBufferBytes));
    if (!log.bytes || count > kBufferBytes) return log.real()->pMethods->xWrite(log.real(), bytes, count, at);
    log.at = at;
  }
  std::memcpy(log.bytes + log.count, bytes, static_cast<std::size_t>(count));
  log.count += count;
  return SQLITE_OK;
}

int sync(sqlite3_file* file, int flags) {
  LogFile& log = log_of(file);
  if (int code = flush_or_drop(log); code != SQLITE_OK) return code;
  return log.real()->pMethods->xSync(log.real(), flags);
}

// All other calls see the file as if nothing were buffered.
template <auto method, class... Args>
int after_flush(sqlite3_file* file, Args... args) {
  LogFile& log = log_of(file);
  if (int code = flush(log); code != SQLITE_OK) return code;
  return (log.real()->pMethods->*method)(log.real(), args...);
}
template <auto method, class... Args>
int at_once(sqlite3_file* file, Args... args) {
  return (log_of(file).real()->pMethods->*method)(log_of(file).real(), args...);
}

using Io = sqlite3_io_methods;
constexpr Io kLogMethods{
    .iVersion = 1,
    .xClose = close,
    .xRead = after_flush<&Io::xRead, void*, int, sqlite3_int64>,
    .xWrite = write,
    .xTruncate = after_flush<&Io::xTruncate, sqlite3_int64>,
    .xSync = sync,
    .xFileSize = after_flush<&Io::xFileSize, sqlite3_int64*>,
    .xLock = at_once<&Io::xLock, int>,
    .xUnlock = at_once<&Io::xUnlock, int>,
    .xCheckReservedLock = at_once<&Io::xCheckReservedLock, int*>,
    .xFileControl = after_flush<&Io::xFileControl, int, void*>,
    .xSectorSize = at_once<&Io::xSectorSize>,
    .xDeviceCharacteristics = at_once<&Io::xDeviceCharacteristics>,
};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  sqlite3_vfs* plain = plain_vfs();
  if (!(flags & SQLITE_OPEN_WAL)) return plain->xOpen(plain, name, file, flags, out_flags);
  LogFile& log = log_of(file);
  log = {};
  const int code = plain->xOpen(plain, name, log.real(), flags, out_flags);
  // SQLite closes only a file that has methods.
  if (code == SQLITE_OK) log.methods.pMethods = &kLogMethods;
  return code;
}

sqlite3_vfs make_vfs() {
  sqlite3_vfs vfs = *plain_vfs();
  vfs.szOsFile += static_cast<int>(sizeof(LogFile));
  vfs.pNext = nullptr;
  vfs.zName = kName;
  vfs.xOpen = open;
  return vfs;
}

}  // namespace

const char* buffering_vfs() {
  static sqlite3_vfs vfs = make_vfs();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  CHECK(registered == SQLITE_OK) << "cannot register a VFS";
  return kName;
}

void forget_unwritten(sqlite3* db) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db, nullptr, SQLITE_FCNTL_JOURNAL_POINTER, &file);
  if (file && file->pMethods == &kLogMethods) log_of(file).count = 0;
}

}  // namespace store
