// SPDX-License-Identifier: Apache-2.0
#include "agent/awslogs/log_calls.h"

#include "shapes/logs/errors.h"
#include "wire/error.h"
#include "wire/operation.h"
#include "wire/type_of.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr wire::Service kLogsService{.name = "logs",
                                     .target_prefix = "Logs_20140328",
                                     .api_version = "2014-03-28",
                                     .errors = shapes::logs::kErrors};
const client::Target kLogs{kLogsService, "logs", wire::Protocol::Json11};

constexpr const char* kExists = "ResourceAlreadyExistsException";
constexpr const char* kNotFound = "ResourceNotFoundException";

bool is_key_error(const std::string& code) {
  return code == "ExpiredTokenException" || code == "UnrecognizedClientException";
}

struct LogCaller {
  http::Client& http;
  client::Profile profile;  // without credentials
  FindKeys keys;

  asio::awaitable<void> send(signing::Credentials credentials, const wire::Operation& operation, const void* input,
                             void* output) const {
    client::Profile as = profile;
    as.credentials = std::move(credentials);
    http::Request request = client::make_request(as, kLogs, operation, input, base::SystemClock().now());
    base::Result<http::Response> response = co_await http.send(std::move(request), client::kDeadline);
    client::read_response(as, kLogs, operation, std::move(response), output);
  }

  asio::awaitable<void> call(wire::Operation operation, const void* input, void* output) const {
    const LogKeys found = keys();
    if (found.execution_role) {
      try {
        co_await send(*found.execution_role, operation, input, output);
        co_return;
      } catch (const wire::ApiError& error) {
        if (!is_key_error(error.code())) throw;
      }
    }
    co_await send(found.agent, operation, input, output);
  }

  asio::awaitable<shapes::logs::PutLogEventsResponse> put_events(shapes::logs::PutLogEventsRequest request) const {
    using Input = shapes::logs::PutLogEventsRequest;
    using Output = shapes::logs::PutLogEventsResponse;
    Output output;
    wire::Operation operation{"PutLogEvents", &wire::type_of<Input>(), &wire::type_of<Output>()};
    co_await call(operation, &request, &output);
    co_return output;
  }
  asio::awaitable<void> create_stream(shapes::logs::CreateLogStreamRequest request) const {
    wire::Operation operation{"CreateLogStream", &wire::type_of<shapes::logs::CreateLogStreamRequest>(), nullptr};
    co_await call(operation, &request, nullptr);
  }
  asio::awaitable<void> create_group(shapes::logs::CreateLogGroupRequest request) const {
    wire::Operation operation{"CreateLogGroup", &wire::type_of<shapes::logs::CreateLogGroupRequest>(), nullptr};
    co_await call(operation, &request, nullptr);
  }
};

// The code of the error; "" for success. Throws where no reply came.
asio::awaitable<std::string> try_create_stream(const LogCalls& calls, shapes::logs::CreateLogStreamRequest request,
                                               std::string& message) {
  try {
    co_await calls.create_stream(std::move(request));
  } catch (const wire::ApiError& error) {
    message = error.message();
    co_return error.code();
  }
  co_return "";
}

}  // namespace

LogCalls log_calls(http::Client& http, client::Profile profile, FindKeys keys) {
  // Shared by the three functions, which are copied.
  auto caller = std::make_shared<LogCaller>(LogCaller{http, std::move(profile), std::move(keys)});
  LogCalls calls;
  calls.put_events = [caller](shapes::logs::PutLogEventsRequest request) {
    return caller->put_events(std::move(request));
  };
  calls.create_stream = [caller](shapes::logs::CreateLogStreamRequest request) {
    return caller->create_stream(std::move(request));
  };
  calls.create_group = [caller](shapes::logs::CreateLogGroupRequest request) {
    return caller->create_group(std::move(request));
  };
  return calls;
}

asio::awaitable<void> create_log_stream(LogCalls calls, logs::AwslogsOptions options, std::string stream) {
  shapes::logs::CreateLogStreamRequest request;
  request.logGroupName = options.group;
  request.logStreamName = stream;
  std::string message;
  std::string code = co_await try_create_stream(calls, request, message);
  if (code == kNotFound && options.create_group) {
    shapes::logs::CreateLogGroupRequest group;
    group.logGroupName = options.group;
    try {
      co_await calls.create_group(std::move(group));
    } catch (const wire::ApiError& error) {
      if (error.code() != kExists) throw;
    }
    code = co_await try_create_stream(calls, std::move(request), message);
  }
  if (!code.empty() && code != kExists) throw wire::ApiError(code, message);
}

}  // namespace agent
