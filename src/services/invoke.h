// SPDX-License-Identifier: Apache-2.0
// Calls between services: one operation, in the caller's own transaction, on behalf of a named principal.
//   invoke<SendMessageResult>(call, as_service(call, "s3.amazonaws.com", bucket_arn, account),
//                             "sqs", "SendMessage", request);
// The operation authorises the principal as it does any client, and throws wire::ApiError as it does for one.
// Its wakes take effect when the whole transaction is committed.
#pragma once

#include <string>
#include <string_view>

#include "base/check.h"
#include "services/call.h"
#include "services/operation.h"

namespace services {

// A service of ours that acts for `account` on behalf of the resource `source_arn`.
Caller as_service(const Call& call, std::string service, std::string source_arn, std::string account);

namespace detail {

// Returns the operation's output. Its input and output must be of these types.
Erased invoke(Call& call, const Caller& principal, std::string_view service, std::string_view operation,
              const void* input, const wire::TypeInfo* input_type, const wire::TypeInfo* output_type);

}  // namespace detail

template <class Output, class Input>
Output invoke(Call& call, const Caller& principal, std::string_view service, std::string_view operation,
              const Input& input) {
  const Erased output = detail::invoke(call, principal, service, operation, &input, &wire::type_of<Input>(),
                                       &wire::type_of<Output>());
  return std::move(*static_cast<Output*>(output.get()));
}

// The same for an operation without output.
template <class Input>
void invoke(Call& call, const Caller& principal, std::string_view service, std::string_view operation,
            const Input& input) {
  detail::invoke(call, principal, service, operation, &input, &wire::type_of<Input>(), nullptr);
}

}  // namespace services
