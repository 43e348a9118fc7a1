// SPDX-License-Identifier: Apache-2.0
// Any bytes as a form, in both dialects: an ApiError or a value that can be written again.
#include <cstddef>
#include <cstdint>

#include "wire/operation.h"
#include "wire/test_shapes.h"

using wire::Protocol;
using wire::test::Everything;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const wire::Operation kOperation{"Do", &wire::type_of<Everything>(), &wire::type_of<Everything>()};
  static const base::Headers kHeaders;
  std::string_view body(reinterpret_cast<const char*>(data), size);
  for (Protocol protocol : {Protocol::Query, Protocol::Ec2}) {
    Everything value;
    try {
      wire::decode_request(protocol, {}, kOperation, {"POST", "/", "", kHeaders, body}, &value);
    } catch (const wire::ApiError&) {
      continue;
    }
    wire::validate(wire::type_of<Everything>(), &value);
    wire::encode_response(protocol, {}, kOperation, &value, "id");
  }
  return 0;
}
