// SPDX-License-Identifier: Apache-2.0
// Errors that are found before a handler runs, and errors of the server: with S3's codes, messages and statuses.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "base/time.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"
#include "store/store.h"
#include "api/job.h"
#include "wire/error.h"

namespace doors::objects {

wire::ApiError auth_error(const signing::AuthResult& failure, const signing::Claim& claim, base::Time now);
wire::ApiError missing_payload_hash();

wire::ApiError payload_hash_error(const std::string& claimed, const std::string& computed);
wire::ApiError body_error(const signing::BodyError& failure);
wire::ApiError body_error(const http::Failure& failure);

wire::ApiError store_error(const store::Error& error);
// An error of the disk.
wire::ApiError file_error(const std::system_error& error);
wire::ApiError internal_error();
// Amazon has no code for a full disk. Other servers answer 507, and clients do not retry that at once, as they would
// 500 and 503.
wire::ApiError disk_full();

// The error that a client gets for an exception. Rethrows what ends the connection itself.
wire::ApiError to_api_error(const api::Job& job, std::exception_ptr thrown);

}  // namespace doors::objects
