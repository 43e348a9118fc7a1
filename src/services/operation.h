// SPDX-License-Identifier: Apache-2.0
// A service as a table: its names, and a row for each of its operations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/headers.h"
#include "services/call.h"
#include "wire/operation.h"

namespace services {

// Read: sees a snapshot and changes nothing. Write: one durable transaction.
enum class Access { Read, Write };

// How a request's body is read. Whole: decoded into the input. Spooled: into a file or a row, see
// bytes.h. Form: a browser's multipart/form-data; its `file` is spooled, its other fields are the input.
enum class Body { Whole, Spooled, Form };

using Erased = std::unique_ptr<void, void (*)(void*)>;

struct Operation {
  wire::Operation wire;
  Access access = Access::Read;
  Erased (*make_input)() = nullptr;
  Erased (*run)(Call&, const void* input) = nullptr;  // the output
  Body body = Body::Whole;
  // Runs on a snapshot before the body is read: rejects requests that can't succeed, and sets
  // call.spool, which says how to read the body.
  void (*before)(Call&, const void* input) = nullptr;
  // REST: the request must have a digest of its body, however it was signed.
  bool needs_digest = false;
};

// What a browser asks on behalf of a page of another origin.
struct CorsQuestion {
  std::string bucket;                // in the path; "" where absent
  std::string origin, method;        // the method that the page wants to use, or of this request
  std::vector<std::string> headers;  // those that the page wants to send
  bool preflight = false;            // OPTIONS, before the request; false: the request itself
};

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
  // restXml, whose operations differ by their URIs: names in a query that mean operations of Amazon's
  // which this table lacks. Such a request must not be taken for another operation.
  std::vector<std::string_view> absent = {};
  // On a snapshot: the headers that make the browser allow the request, nullopt where it must not.
  // Throws where a preflight needs more of an answer than "not allowed".
  std::optional<base::Headers> (*cors)(Call& call, const CorsQuestion& question) = nullptr;
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

// An operation with a body: with_body<&before_put_object>(operation<&put_object>(...), Body::Spooled).
template <auto Before>
Operation with_body(Operation row, Body body) {
  using Input = typename detail::Handler<decltype(Before)>::Input;
  row.body = body;
  row.before = [](Call& call, const void* input) { Before(call, *static_cast<const Input*>(input)); };
  return row;
}

inline Operation with_digest(Operation row) {
  row.needs_digest = true;
  return row;
}

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
