// SPDX-License-Identifier: Apache-2.0
// A value, or an error, for callers that branch on it.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace base {

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }

  T& operator*() {
    CHECK(*this) << "read the value of a failed result: " << error();
    return std::get<T>(state_);
  }
  const T& operator*() const { return *const_cast<Result&>(*this); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  const std::string& error() const { return std::get<Error>(state_).message; }

 private:
  std::variant<T, Error> state_;
};

}  // namespace base
