// SPDX-License-Identifier: Apache-2.0
#include "api/path_door.h"

#include "api/errors.h"
#include "api/machine_access.h"

namespace api {
namespace asio = boost::asio;

asio::awaitable<http::Response> PathDoor::serve(http::Exchange& exchange, signing::ClaimResult claim) {
  Job job;
  job.protocol = wire::Protocol::Json11;
  job.service = shared_.registry.find_signed(signing_name_);
  std::exception_ptr thrown;
  http::Response response;
  try {
    response = co_await run(exchange, job, std::move(claim));
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) response = error_response(job, to_api_error(job, thrown), shared_.log);
  co_return response;
}

asio::awaitable<http::Response> PathDoor::run(http::Exchange& exchange, Job& job, signing::ClaimResult claim) {
  const Signer signer = co_await shared_.authenticator.find_or_throw(claim, signing_name_);
  job.caller = caller_of(exchange, job.request_id, claim.claim, *signer.key);
  shared_.authenticator.verify(claim.claim, signer, exchange.head(), "");
  exchange.set_account(job.caller.account);
  // All of these paths are for machines and operators.
  if (job.caller.task) {
    throw wire::ApiError("AccessDeniedException", "The credentials of a task may not be used for " + path_ + ".");
  }
  if (whom_ == For::Accounts) refuse_machine(job.caller, path_);
  http::Response response = co_await handler_(exchange, job.caller);
  co_return response;
}

}  // namespace api
