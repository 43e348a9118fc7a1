// SPDX-License-Identifier: Apache-2.0
#include "services/invoke.h"

#include "services/directory.h"

namespace services {

Caller as_service(const Call& call, std::string service, std::string source_arn, std::string account) {
  Caller caller;
  caller.account = std::move(account);
  caller.region = call.caller.region;
  caller.endpoint = call.caller.endpoint;
  caller.request_id = call.caller.request_id;
  caller.service = std::move(service);
  caller.source_arn = std::move(source_arn);
  return caller;
}

namespace detail {
namespace {

// What the inner call wakes if the transaction fails, which the outer call's end decides, however the inner one ends.
class FailureWakes {
 public:
  FailureWakes(Call& inner, Call& outer) : inner_(inner), outer_(outer) {}
  ~FailureWakes() {
    for (Wake& wake : inner_.wakes_if_failed) outer_.wakes_if_failed.push_back(std::move(wake));
  }
  FailureWakes(const FailureWakes&) = delete;
  FailureWakes& operator=(const FailureWakes&) = delete;

 private:
  Call& inner_;
  Call& outer_;
};

}  // namespace

Erased invoke(Call& call, const Caller& principal, std::string_view service, std::string_view operation,
              const void* input, const wire::TypeInfo* input_type, const wire::TypeInfo* output_type) {
  CHECK(call.directory) << "a call without a directory";
  const Operation* row = call.directory->find(service, operation);
  CHECK(row) << "no operation " << service << "." << operation;
  CHECK(row->wire.input == input_type && row->wire.output == output_type)
      << "other types than those of " << service << "." << operation;
  Call inner{call.tx, principal, call.now, call.started, call.locals, call.directory};
  const FailureWakes failure_wakes(inner, call);
  Erased output = row->run(inner, input);
  CHECK(!inner.wait) << service << "." << operation << " waits, but only clients can";
  for (Wake& wake : inner.wakes) call.wakes.push_back(std::move(wake));
  return output;
}

}  // namespace detail
}  // namespace services
