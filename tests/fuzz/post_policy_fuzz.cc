// SPDX-License-Identifier: Apache-2.0
// The policy of a browser form, from its JSON to a decision about a form.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "services/s3/objects/post_policy.h"
#include "wire/error.h"

using namespace services::s3;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    parse_post_policy(text);
  } catch (const wire::ApiError&) {
  }
  try {
    const PostPolicy policy = parse_post_policy(base::to_base64(text));
    // A form that meets all conditions is accepted, unless two conditions contradict each other.
    FormFields fields;
    bool contradiction = false;
    for (const PostCondition& condition : policy.conditions) {
      auto [field, fresh] = fields.emplace(condition.field, condition.value);
      contradiction = contradiction || (!fresh && field->second != condition.value);
    }
    try {
      check_fields(policy, fields);
    } catch (const wire::ApiError& error) {
      CHECK(contradiction) << error.message();
    }
    fields["nobody-speaks-of-it"] = "x";
    bool denied = false;
    try {
      check_fields(policy, fields);
    } catch (const wire::ApiError&) {
      denied = true;
    }
    bool spoken = false;
    for (const PostCondition& condition : policy.conditions) spoken = spoken || condition.field == "nobody-speaks-of-it";
    CHECK(denied || spoken) << "a field that no condition covers was let through";
    check_size(policy, size);
  } catch (const wire::ApiError&) {
  }
  return 0;
}
