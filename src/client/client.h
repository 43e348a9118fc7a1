// SPDX-License-Identifier: Apache-2.0
// Typed calls to one of our services, or to Amazon's, over awsJson.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "client/request.h"

namespace client {

// Blocking: for the command line.
class Client {
 public:
  // Throws std::runtime_error with one clear line for an endpoint that is none.
  explicit Client(Profile profile);
  ~Client();

  // Throws wire::ApiError as the service answered, and std::runtime_error where
  // there was no answer.
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

  // A plain GET, without a signature.
  base::Result<http::Response> get(const std::string& path);

 private:
  void call_erased(const Target& target, const wire::Operation& operation, const void* input, void* output);

  Profile profile_;
  http::IoThreads io_;
  std::unique_ptr<http::Client> http_;
};

}  // namespace client
