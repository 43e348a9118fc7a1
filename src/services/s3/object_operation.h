// SPDX-License-Identifier: Apache-2.0
// What S3 adds to calls and operations: bodies that are not structs, digests, and CORS. Its door reads this table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "services/operation.h"
#include "services/s3/bytes.h"

namespace services::s3 {

// How a request's body comes. Whole: decoded into the input. Spooled: stored before the handler runs. Form: a
// browser's multipart/form-data, whose file is spooled and whose other fields are the input.
enum class Body { Whole, Spooled, Form };

// What a handler gets that moves bytes.
struct ObjectCall : Call {
  Spool spool = {};                                  // set by the operation's prepare function
  const Upload* upload = nullptr;                    // the body, or the bytes of Spool::source
  std::optional<std::vector<Extent>> download = {};  // the body of the response
  std::optional<int> status = {};                    // of the response, where it is not the operation's: 206
  std::shared_ptr<const void> prepared = {};         // the result of the prepare function
  // Of a handler that works in slices, a transaction each: what its committed slices did, null for the first one. It
  // replaces this, and requests the next slice with call.wait.
  std::shared_ptr<const void> progress = {};
};

struct ObjectOperation {
  // Its `run` is for handlers that move no bytes.
  Operation plain;
  Body body = Body::Whole;
  // Runs on a snapshot before the body is read: rejects what cannot succeed, and sets call.spool.
  std::shared_ptr<const void> (*prepare)(ObjectCall& call, const void* input) = nullptr;
  Erased (*move_bytes)(ObjectCall& call, const void* input) = nullptr;
  // The body must come with a digest, whatever the request was signed with.
  bool needs_digest = false;

  ObjectOperation(Operation row) : plain(std::move(row)) {}

  Erased run(ObjectCall& call, const void* input) const {
    return move_bytes ? move_bytes(call, input) : plain.run(call, input);
  }
};

// A request of a page of another origin.
struct CorsRequest {
  std::string bucket;                // of the path; "" where that names none
  std::string origin, method;        // the method of the request, or the one that a preflight asks for
  std::vector<std::string> headers;  // those that a preflight asks for
  bool preflight = false;
};

struct ObjectTable {
  std::vector<ObjectOperation> operations;  // in the order of the service's
  // Names in a query that stand for operations of Amazon's that Stoker does not support. A request with one of them is
  // not taken for another operation.
  std::vector<std::string_view> unsupported;
  // The CORS headers of a response; nullopt where there are none. Throws where a preflight needs an error of its own.
  std::optional<base::Headers> (*cors)(Call& call, const CorsRequest& request) = nullptr;
};

namespace detail {

// Another service that invokes such an operation would have to pass bytes.
inline Erased reject_invocation(Call&, const void*) {
  CHECK(false) << "an operation that moves bytes was invoked without them";
  return services::detail::nothing();
}

template <class T>
struct ObjectHandler;
template <class Out, class In>
struct ObjectHandler<Out (*)(ObjectCall&, const In&)> {
  using Input = In;
  using Output = Out;
};
// Such a handler gets the result of its prepare function.
template <class Out, class In, class Prepared>
struct ObjectHandler<Out (*)(ObjectCall&, const In&, const Prepared&)> {
  using Input = In;
  using Output = Out;
  using Preparation = Prepared;
};

template <auto Fn>
auto call_handler(ObjectCall& call, const void* input) {
  using Handler = ObjectHandler<decltype(Fn)>;
  const auto& typed = *static_cast<const typename Handler::Input*>(input);
  if constexpr (requires { typename Handler::Preparation; }) {
    CHECK(call.prepared) << "a handler without its preparation";
    return Fn(call, typed, *static_cast<const typename Handler::Preparation*>(call.prepared.get()));
  } else {
    return Fn(call, typed);
  }
}

}  // namespace detail

// object_object_operation<&get_object>("GetObject", Access::Read, http): a handler that gets an ObjectCall.
template <auto Fn>
ObjectOperation object_operation(std::string_view name, Access access, wire::HttpBinding http) {
  using Input = typename detail::ObjectHandler<decltype(Fn)>::Input;
  using Output = typename detail::ObjectHandler<decltype(Fn)>::Output;
  const wire::TypeInfo* output = nullptr;
  if constexpr (!std::is_void_v<Output>) output = &wire::type_of<Output>();
  ObjectOperation row(Operation{
      {name, &wire::type_of<Input>(), output, http}, access, &services::detail::make<Input>, &detail::reject_invocation});
  row.move_bytes = [](ObjectCall& call, const void* input) {
    if constexpr (std::is_void_v<Output>) {
      detail::call_handler<Fn>(call, input);
      return services::detail::nothing();
    } else {
      Erased result = services::detail::make<Output>();
      *static_cast<Output*>(result.get()) = detail::call_handler<Fn>(call, input);
      return result;
    }
  };
  return row;
}

// with_body<&prepare_put_object>(object_object_operation<&put_object>(...), Body::Spooled)
template <auto Prepare>
ObjectOperation with_body(ObjectOperation row, Body body) {
  row.body = body;
  row.prepare = [](ObjectCall& call, const void* input) -> std::shared_ptr<const void> {
    using Prepared = typename detail::ObjectHandler<decltype(Prepare)>::Output;
    if constexpr (std::is_void_v<Prepared>) {
      detail::call_handler<Prepare>(call, input);
      return nullptr;
    } else {
      return std::make_shared<const Prepared>(detail::call_handler<Prepare>(call, input));
    }
  };
  return row;
}

// For operations that Amazon answers with another status than its model states.
inline wire::HttpBinding with_status(wire::HttpBinding http, int status) {
  http.status = status;
  return http;
}

inline ObjectOperation with_digest(ObjectOperation row) {
  row.needs_digest = true;
  return row;
}

}  // namespace services::s3
