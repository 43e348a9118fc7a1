// SPDX-License-Identifier: Apache-2.0
// A service as a table: its names, and a row for each of its operations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "services/call.h"
#include "wire/operation.h"

namespace services {

// Read: sees a snapshot and changes nothing. Write: one durable transaction.
enum class Access { Read, Write };

using Erased = std::unique_ptr<void, void (*)(void*)>;

struct Operation {
  wire::Operation wire;
  Access access = Access::Read;
  Erased (*make_input)() = nullptr;
  Erased (*run)(Call&, const void* input) = nullptr;  // the output
  // Long computations, such as a new key: runs before the handler of a client's request, on a snapshot and on a thread that
  // reads, where accounts do not hold up one another. The handler finds its result in call.prepared; it computes it itself
  // where that is null: where another service invokes it, and where `needs_preparation` is false.
  std::shared_ptr<const void> (*prepare)(Call&, const void* input) = nullptr;
  bool (*needs_preparation)(const void* input) = nullptr;
};

// A handler throws it, before it writes, where what was prepared no longer fits: it is prepared again.
struct Outdated {};

// A restXml service also receives unsigned requests, from an anonymous caller.
struct Service {
  wire::Service wire;
  std::string_view signing_name;  // in the credential scope: "monitoring" for CloudWatch
  std::vector<wire::Protocol> protocols;
  std::size_t body_limit;
  std::vector<Operation> operations;
  // The service's error for members that are missing or out of range; nullopt where
  // its handlers decide instead of the model.
  std::optional<wire::ApiError> (*violation_error)(const std::vector<wire::Violation>&) = nullptr;
  // Query requests may carry this member as their path (SQS's queue URLs).
  std::string_view path_member = {};
};

namespace detail {

template <class T>
Erased make() {
  return Erased(new T(), [](void* p) { delete static_cast<T*>(p); });
}
inline Erased nothing() {
  return Erased(nullptr, [](void*) {});
}

template <class T>
struct Handler;
template <class Out, class In>
struct Handler<Out (*)(Call&, const In&)> {
  using Input = In;
  using Output = Out;
};

}  // namespace detail

// operation<&send_message>("SendMessage", Access::Write): shapes follow from the function.
template <auto Fn>
Operation operation(std::string_view name, Access access, wire::HttpBinding http = {}) {
  using Input = typename detail::Handler<decltype(Fn)>::Input;
  using Output = typename detail::Handler<decltype(Fn)>::Output;
  Operation row{{name, &wire::type_of<Input>(), nullptr, http}, access, &detail::make<Input>, nullptr};
  if constexpr (std::is_void_v<Output>) {
    row.run = [](Call& call, const void* input) {
      Fn(call, *static_cast<const Input*>(input));
      return detail::nothing();
    };
  } else {
    row.wire.output = &wire::type_of<Output>();
    row.run = [](Call& call, const void* input) {
      Erased output = detail::make<Output>();
      *static_cast<Output*>(output.get()) = Fn(call, *static_cast<const Input*>(input));
      return output;
    };
  }
  return row;
}

}  // namespace services
