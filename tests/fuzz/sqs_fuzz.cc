// SPDX-License-Identifier: Apache-2.0
// The strings that SQS parses: handles, URLs, ARNs, policies.
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/identify.h"
#include "services/policy.h"
#include "services/sqs/dead_letter.h"
#include "services/sqs/queue.h"
#include "services/sqs/receipt.h"
#include "wire/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (auto receipt = services::sqs::parse_handle(text)) services::sqs::to_handle(*receipt);
  services::sqs::parse_queue_arn(text);
  services::policy::problem(text);
  services::policy::Request request{.principal_account = "111111111111",
                                    .action = "sqs:SendMessage",
                                    .resource = "arn:aws:sqs:us-east-1:111111111111:q",
                                    .context = {{"aws:SourceArn", "arn:aws:s3:::b"}}};
  services::policy::evaluate(text, request);
  services::policy::matches(text.substr(0, size / 2), text.substr(size / 2));
  api::form_field(text, "Action");
  try {
    services::sqs::check_redrive_allow_policy(text);
  } catch (const wire::ApiError&) {
  }
  try {
    services::sqs::parse_url(text, {.account = "111111111111", .region = "us-east-1"});
  } catch (const wire::ApiError&) {
  }
  return 0;
}
