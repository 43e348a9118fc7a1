// SPDX-License-Identifier: Apache-2.0
// Typed calls to one of our services, or Amazon's, over awsJson.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "client/request.h"

namespace client {

// Blocking, for the command line.
class Client {
 public:
  // Throws std::runtime_error, with a message of one line, for an invalid endpoint.
  explicit Client(Profile profile);
  ~Client();

  // Throws the service's wire::ApiError, or std::runtime_error when there is no
  // response.
  template <class Output, class Input>
  Output call(const Target& target, std::string_view operation, const Input& input) {
    Output output;
    call_erased(target, {operation, &wire::type_of<Input>(), &wire::type_of<Output>()}, &input, &output);
    return output;
  }
  template <class Input>
  void call(const Target& target, std::string_view operation, const Input& input) {
    call_erased(target, {operation, &wire::type_of<Input>(), nullptr}, &input, nullptr);
  }

  // An unsigned GET.
  base::Result<http::Response> get(const std::string& path);

 private:
  void call_erased(const Target& target, const wire::Operation& operation, const void* input, void* output);

  Profile profile_;
  http::IoThreads io_;
  std::unique_ptr<http::Client> http_;
};

}  // namespace client
