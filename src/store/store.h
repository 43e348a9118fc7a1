// SPDX-License-Identifier: Apache-2.0
// A transactional database behind one interface: SQLite in the data folder, or
// PostgreSQL. One SQL text serves both: `$1` placeholders, ON CONFLICT, RETURNING.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"

namespace store {

struct BlobView {
  std::string_view bytes;
};

// A parameter. Views must stay valid until the call returns.
using Param = std::variant<std::monostate, std::int64_t, double, std::string_view, BlobView>;

inline Param to_param(std::nullptr_t) { return std::monostate{}; }
inline Param to_param(std::string_view text) { return text; }
inline Param to_param(const char* text) { return std::string_view(text); }
inline Param to_param(const std::string& text) { return std::string_view(text); }
inline Param to_param(const base::Blob& blob) { return BlobView{blob.bytes}; }
inline Param to_param(BlobView view) { return view; }
inline Param to_param(double value) { return value; }
inline Param to_param(base::Time time) { return base::to_millis(time); }
template <class T>
requires std::is_integral_v<T> Param to_param(T value) { return static_cast<std::int64_t>(value); }
template <class T>
Param to_param(const std::optional<T>& value) {
  return value ? to_param(*value) : Param{};
}

// One row of a result, valid only inside the function that receives it.
class Row {
 public:
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string_view text(int column) const = 0;  // or the bytes of a blob

  std::string str(int column) const { return std::string(text(column)); }
  base::Blob blob(int column) const { return base::Blob{str(column)}; }
  bool boolean(int column) const { return integer(column) != 0; }
  base::Time time(int column) const { return base::from_millis(integer(column)); }
  std::optional<std::int64_t> maybe_integer(int column) const {
    return is_null(column) ? std::nullopt : std::optional(integer(column));
  }
  std::optional<std::string> maybe_str(int column) const {
    return is_null(column) ? std::nullopt : std::optional(str(column));
  }
  std::optional<base::Time> maybe_time(int column) const {
    return is_null(column) ? std::nullopt : std::optional(time(column));
  }

 protected:
  ~Row() = default;
};

enum class ErrorKind {
  Full,      // no space left
  Conflict,  // a constraint was violated
  Busy,      // a temporary condition: a retry may succeed
  Damaged,   // the database is corrupt
  Other,
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <std::size_t N>
class Query;

// A transaction, as its work sees it. After a statement has thrown store::Error the transaction is void: the work fails
// even if it catches the error. To continue after a conflict, use ON CONFLICT.
class Tx {
 public:
  virtual ~Tx() = default;

  // Runs a statement. Returns the number of changed rows.
  template <class... Args>
  std::int64_t exec(std::string_view sql, const Args&... args) {
    std::array<Param, sizeof...(Args)> params{to_param(args)...};
    return run(sql, params, nullptr);
  }

  // Inserts one row and returns its id, the INTEGER PRIMARY KEY of the table.
  template <class... Args>
  std::int64_t insert(std::string_view sql, const Args&... args) {
    std::array<Param, sizeof...(Args)> params{to_param(args)...};
    return run_insert(sql, params);
  }

  // tx.query("SELECT ... WHERE id = $1", id).one([](const Row& row) { return row.str(0); })
  template <class... Args>
  auto query(std::string_view sql, const Args&... args) {
    return Query<sizeof...(Args)>(*this, sql, {to_param(args)...});
  }

  // For statements whose number of parameters is only known at run time.
  using EachRow = std::function<void(const Row&)>;
  virtual std::int64_t run(std::string_view sql, std::span<const Param> params, const EachRow& each) = 0;
  virtual std::int64_t run_insert(std::string_view sql, std::span<const Param> params);

  // Called once, when the work is durable (true) or was rolled back (false): on the thread that ran it, before its
  // Done, and before the work runs again. Callbacks run in order of registration after a commit, in reverse order after
  // a rollback. For caches that follow the database. Must not throw or use the Tx.
  using End = std::function<void(bool committed)>;
  void on_end(End end) { ends_.push_back(std::move(end)); }
  // For the store, which calls them.
  std::vector<End> take_ends() { return std::exchange(ends_, {}); }

 private:
  std::vector<End> ends_;
};

// A statement with its parameters. Each member function runs it.
template <std::size_t N>
class [[nodiscard]] Query {
 public:
  Query(Tx& tx, std::string_view sql, std::array<Param, N> params) : tx_(tx), sql_(sql), params_(params) {}

  template <class Fn>
  void each(Fn&& fn) {
    tx_.run(sql_, params_, [&](const Row& row) { fn(row); });
  }

  template <class Fn>
  auto all(Fn&& fn) {
    std::vector<std::invoke_result_t<Fn, const Row&>> out;
    each([&](const Row& row) { out.push_back(fn(row)); });
    return out;
  }

  // The first row, if any.
  template <class Fn>
  auto one(Fn&& fn) {
    std::optional<std::invoke_result_t<Fn, const Row&>> out;
    each([&](const Row& row) {
      if (!out) out = fn(row);
    });
    return out;
  }

  std::int64_t integer() {
    auto found = one([](const Row& row) { return row.is_null(0) ? 0 : row.integer(0); });
    return found.value_or(0);
  }

 private:
  Tx& tx_;
  std::string_view sql_;
  std::array<Param, N> params_;
};

// The tables of one module. Step n of `steps` upgrades version n-1 to n; a released step never changes.
struct Migrations {
  std::string module;
  std::vector<std::string> steps;
};

class Store {
 public:
  // Runs on a thread of the store. Must not keep the Tx. May run more than once, if another work in its transaction
  // failed, so it must have no effects except through the Tx and through state that it resets at its start. Writing
  // works run one after another, on both engines.
  using Work = std::function<void(Tx&)>;
  // Called once, on a thread of the store, when the work is durable (nullptr) or was rolled back (its exception). On
  // the caller's thread if the work is rejected immediately (Busy): the store is closing, or its queue is full.
  using Done = std::function<void(std::exception_ptr)>;

  virtual ~Store() = default;
  virtual void write(Work work, Done done) = 0;
  virtual void read(Work work, Done done) = 0;
  // Reads on the caller's thread, and rethrows. For reads that take less time than a thread switch. False if no connection is
  // free, if it took too long here, and always on PostgreSQL: its round trips must not block the caller. Then read().
  virtual bool read_here(const Work&) { return false; }

  // Blocking versions, which rethrow. Not for a thread of the store, which would wait for itself.
  void write_now(const Work& work);
  void read_now(const Work& work);
};

// `folder`/stoker.db. Locks the folder while it is open: a second opener gets a store::Error (Busy) that
// names the process that holds it.
std::unique_ptr<Store> open_sqlite(const std::string& folder, const std::vector<Migrations>& migrations);
// `target` is a libpq connection string or URL. Locks the database (its schema) while it is open, like a
// folder. postgres_writer.h has more on that.
std::unique_ptr<Store> open_postgres(const std::string& target, const std::vector<Migrations>& migrations);
// SQLite in `folder`, or with a `url`, that PostgreSQL database. Locks the folder in both cases: it holds more
// than the database.
std::unique_ptr<Store> open(const std::string& folder, const std::string& url,
                            const std::vector<Migrations>& migrations);
bool is_postgres(std::string_view target);

}  // namespace store
