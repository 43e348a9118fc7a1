// SPDX-License-Identifier: Apache-2.0
// A value on the heap that copies and compares like the value itself, for a shape
// that contains itself directly: std::optional<wire::Boxed<Filter>> And.
#pragma once

#include <memory>
#include <utility>

namespace wire {

template <class T>
class Boxed {
 public:
  Boxed() : value_(std::make_unique<T>()) {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(std::make_unique<T>(*other)) {}
  Boxed(Boxed&&) noexcept = default;  // a moved-from box may only be assigned to or destroyed
  Boxed& operator=(const Boxed& other) {
    value_ = std::make_unique<T>(*other);
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Boxed& other) const { return **this == *other; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace wire
