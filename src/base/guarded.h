// SPDX-License-Identifier: Apache-2.0
// A value with its own lock. `with` returns values, never references. Code inside
// it must not block or call back.
#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

namespace base {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  template <class Fn>
  auto with(Fn&& fn) {
    static_assert(!std::is_reference_v<std::invoke_result_t<Fn, T&>>, "a reference would outlive the lock");
    std::lock_guard lock(mutex_);
    return fn(value_);
  }

  template <class Fn>
  auto with(Fn&& fn) const {
    static_assert(!std::is_reference_v<std::invoke_result_t<Fn, const T&>>, "a reference would outlive the lock");
    std::lock_guard lock(mutex_);
    return fn(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace base
