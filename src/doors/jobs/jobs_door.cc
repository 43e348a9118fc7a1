// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/jobs_door.h"

#include "api/run.h"
#include "base/log.h"
#include "base/random.h"
#include "doors/jobs/door_request.h"
#include "doors/jobs/problem.h"
#include "services/pipelines/jobs/job_delivery.h"
#include "services/s3/objects/get_object.h"
#include "wire/error.h"

namespace doors::jobs {
namespace asio = boost::asio;
namespace pipelines = services::pipelines;

namespace {

constexpr int kMaxResultAttempts = 3;  // a file may be deleted between its lookup and its opening

std::string joined(const std::vector<std::string>& methods) {
  std::string text;
  for (const std::string& method : methods) text += (text.empty() ? "" : ", ") + method;
  return text;
}

Route route_of(const http::RequestHead& head) {
  RouteResult result = find_route(head.method, head.path());
  if (!result.found.empty()) return std::move(result.found.front());
  if (result.methods.empty()) throw Problem(404, "There is no " + std::string(head.path()) + " in the job API.");
  Problem problem(405, std::string(head.path()) + " does not take " + head.method + ".");
  problem.headers.add("Allow", joined(result.methods));
  throw problem;
}

bool takes_input(const Route& route) { return route.action == Action::SubmitJob; }

// The wire's code of an error in the metrics.
wire::ApiError error_for_log(const Problem& problem) {
  return wire::ApiError("Http" + std::to_string(problem.status), problem.what());
}

}  // namespace

http::Response json_response(int status, std::string document) {
  return {status, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, std::move(document) + "\n"};
}

bool JobsDoor::accepts(const api::Arrival& arrival) const {
  return is_job_path(arrival.head.path()) && !arrival.head.headers.find("X-Amz-Target");
}

asio::awaitable<http::Response> JobsDoor::serve(http::Exchange& exchange, signing::ClaimResult claim) {
  api::Job job;
  std::exception_ptr thrown;
  http::Response response;
  Action action = Action::ListJobs;
  try {
    response = co_await run(exchange, job, action, std::move(claim));
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    const Problem problem = to_problem(job.request_id, thrown);
    setup_.log.failed(job, "pipelines", error_for_log(problem), problem.status);
    response = problem_response(problem, job.request_id);
  } else {
    setup_.log.succeeded(job, name_of(action));
  }
  if (exchange.head().method == "HEAD") response.body.clear();
  response.headers.set("x-request-id", job.request_id);
  co_return response;
}

asio::awaitable<http::Response> JobsDoor::run(http::Exchange& exchange, api::Job& job, Action& action,
                                              signing::ClaimResult claim) {
  Credentials credentials =
      co_await Credentials::find(setup_.authenticator, exchange, job.request_id, std::move(claim));
  const http::RequestHead& head = exchange.head();
  Request request{exchange, std::move(credentials), route_of(head), {}};
  job.caller = request.credentials.caller();
  action = request.route.action;
  if (!takes_input(request.route)) {
    const std::string body = co_await exchange.read_body(Credentials::kMaxSmallBody);
    request.credentials.verify(body, setup_.authenticator, head);
    co_await set_account(request);
    request.query = read_query(head.query(), known_parameters(request.route.action));
  }
  http::Response response = co_await answer(request);
  co_return response;
}

asio::awaitable<http::Response> JobsDoor::answer(Request& request) {
  switch (request.route.action) {
    case Action::SubmitJob: return submit(request);
    case Action::ShowPipeline: return show_pipeline(request);
    case Action::ListPipelineJobs:
    case Action::ListJobs: return list(request);
    case Action::ShowJob: return show_job(request);
    case Action::ShowResult: return show_result(request);
    case Action::CancelJob:
    case Action::RetryJob:
    case Action::ResendDelivery: return change(request);
    case Action::ListDeliveries: return list_deliveries(request);
    case Action::PipelineEvents:
    case Action::JobEvents: return events(request);
  }
  throw Problem(404, "There is no such path in the job API.");
}

asio::awaitable<void> JobsDoor::read(Request& request, api::Engine::Work work) {
  const api::Run here{request.credentials.caller(), services::Access::Read, api::Place::Here};
  co_await api::read_once(setup_.engine, here, std::move(work));
}

asio::awaitable<void> JobsDoor::set_account(Request& request) {
  std::string account;
  api::Engine::Work look = [&](services::Call& call) { account = request.credentials.scope(call.tx).account; };
  co_await read(request, std::move(look));
  request.exchange.set_account(account);
}

pipelines::FoundJob JobsDoor::find(services::Call& call, const Request& request) const {
  const pipelines::JobScope scope = request.credentials.scope(call.tx);
  return pipelines::job_in(call.tx, scope, request.route.job, find_value(request.query, "pipeline").value_or(""));
}

asio::awaitable<http::Response> JobsDoor::list(Request& request) {
  pipelines::JobFilter filter = read_filter(request.query);
  if (request.route.action == Action::ListPipelineJobs) filter.pipeline = request.route.pipeline;
  Document page;
  api::Engine::Work work = [&](services::Call& call) {
    page = pipelines::job_page(call.tx, request.credentials.scope(call.tx), filter);
  };
  co_await setup_.engine.run(services::Access::Read, request.credentials.caller(), std::move(work));
  co_return json_response(200, std::move(page));
}

asio::awaitable<http::Response> JobsDoor::show_pipeline(Request& request) {
  Document summary;
  api::Engine::Work work = [&](services::Call& call) {
    const auto pipeline =
        pipelines::pipeline_in(call.tx, request.credentials.scope(call.tx), request.route.pipeline);
    summary = pipelines::pipeline_summary(call.tx, pipeline);
  };
  co_await read(request, std::move(work));
  co_return json_response(200, std::move(summary));
}

asio::awaitable<JobsDoor::Document> JobsDoor::wait_for(Request& request, std::optional<base::Duration> wait) {
  Document document;
  api::Handler look = [&](services::Call& call) {
    const pipelines::FoundJob found = find(call, request);
    document = pipelines::job_document(call.tx, found.pipeline, found.job);
    if (!wait || pipelines::is_over(found.job.status)) return;
    const base::Time until = call.started + *wait;
    if (call.now < until) call.wait = services::Wait{pipelines::job_topic(found.job.number), until, std::nullopt};
  };
  const api::Run run{request.credentials.caller(), services::Access::Read, api::Place::Here};
  co_await api::run_handler(setup_.engine, request.exchange, run, std::move(look));
  co_return document;
}

asio::awaitable<http::Response> JobsDoor::show_job(Request& request) {
  const auto wait = preferred_wait(request.exchange.head().headers);
  Document document = co_await wait_for(request, wait);
  http::Response response = json_response(200, std::move(document));
  add_applied_wait(wait, response);
  co_return response;
}

asio::awaitable<http::Response> JobsDoor::show_result(Request& request) {
  const auto wait = preferred_wait(request.exchange.head().headers);
  if (wait) {
    co_await wait_for(request, wait);
  }
  for (int attempt = 1; attempt <= kMaxResultAttempts; ++attempt) {
    std::vector<services::s3::Extent> extents;
    http::Response response;
    api::Engine::Work work = [&](services::Call& call) {
      const pipelines::FoundJob found = find(call, request);
      require_result(found.job);
      const services::Caller owner = owner_of(call.caller, found.pipeline);
      services::s3::ObjectCall reading{services::Call{call.tx, owner, call.now, call.started, call.locals, call.directory}};
      const auto object =
          services::s3::get_object(reading, {.Bucket = found.pipeline.bucket, .Key = found.job.result_key});
      extents = std::move(*reading.download);
      response.headers = {{"Content-Type", object.ContentType.value_or("application/json")},
                          {"ETag", object.ETag.value_or("")}};
    };
    co_await read(request, std::move(work));
    auto open = co_await spool::open_extents(setup_.disk, std::move(extents));
    if (!open) continue;
    response.parts = std::move(open->parts);
    response.opener = std::move(open->opener);
    add_applied_wait(wait, response);
    co_return response;
  }
  throw Problem(409, "The result was deleted.");
}

asio::awaitable<http::Response> JobsDoor::change(Request& request) {
  Document document;
  api::Engine::Work work = [&](services::Call& call) {
    pipelines::FoundJob found = find(call, request);
    if (request.route.action == Action::ResendDelivery) {
      document = pipelines::delivery_document(
          pipelines::resend_delivery(call, found.pipeline, found.job, request.route.delivery));
      return;
    }
    if (request.route.action == Action::CancelJob) {
      pipelines::cancel(call, found);
    } else {
      pipelines::retry(call, found);
    }
    document = pipelines::job_document(call.tx, found.pipeline, found.job);
  };
  co_await setup_.engine.run(services::Access::Write, request.credentials.caller(), std::move(work));
  co_return json_response(request.route.action == Action::CancelJob ? 200 : 202, std::move(document));
}

asio::awaitable<http::Response> JobsDoor::list_deliveries(Request& request) {
  Document deliveries;
  api::Engine::Work work = [&](services::Call& call) {
    deliveries.clear();
    const pipelines::FoundJob found = find(call, request);
    for (const pipelines::JobDelivery& delivery : pipelines::list_deliveries(call.tx, found.job.number)) {
      deliveries += (deliveries.empty() ? "" : ",") + pipelines::delivery_document(delivery);
    }
  };
  co_await read(request, std::move(work));
  co_return json_response(200, R"({"deliveries":[)" + deliveries + "]}");
}

}  // namespace doors::jobs
