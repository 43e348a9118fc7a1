// SPDX-License-Identifier: Apache-2.0
// What REST clients are told before a handler sees their request, and of failures of ours: S3's codes,
// words and statuses.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "base/time.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"
#include "store/store.h"
#include "wire/error.h"

namespace api {

wire::ApiError rest_auth_error(const signing::AuthResult& failure, const signing::Claim& claim, base::Time now);
wire::ApiError missing_payload_hash();

wire::ApiError payload_hash_error(const std::string& claimed, const std::string& computed);
wire::ApiError rest_body_error(const signing::BodyError& failure);
wire::ApiError rest_body_error(const http::Failure& failure);
wire::ApiError too_large(std::uint64_t size, std::uint64_t limit);

wire::ApiError rest_store_error(const store::Error& error);
// The disk's.
wire::ApiError rest_file_error(const std::system_error& error);
wire::ApiError rest_internal_error();

}  // namespace api
