// SPDX-License-Identifier: Apache-2.0
// What services keep in memory beside the database: caches of it, rebuilt at start, one object of
// each type. The owner of the store owns them.
#pragma once

#include <memory>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace services {

class Locals {
 public:
  // Only before the server listens: from then on the set does not change.
  template <class T, class... Args>
  T& add(Args&&... args) {
    auto made = std::make_shared<T>(std::forward<Args>(args)...);
    T& object = *made;
    objects_[typeid(T)] = std::move(made);
    return object;
  }

  template <class T>
  T& get() const {
    T* found = find<T>();
    CHECK(found) << "no object of this type was added: " << typeid(T).name();
    return *found;
  }
  // nullptr where none was added.
  template <class T>
  T* find() const {
    const auto found = objects_.find(typeid(T));
    return found == objects_.end() ? nullptr : static_cast<T*>(found->second.get());
  }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> objects_;  // shared: void has no unique_ptr
};

}  // namespace services
