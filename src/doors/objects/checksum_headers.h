// SPDX-License-Identifier: Apache-2.0
// The checksums and digests that a request's headers state.
#pragma once

#include <optional>
#include <string_view>

#include "base/checksum.h"
#include "base/headers.h"

namespace doors::objects {

// Throws InvalidRequest where the headers have several checksums, an unknown one, or another than they announce.
void check_checksum_headers(const base::Headers& headers);

// For operations whose body needs a digest, beside a signature. Throws InvalidRequest where there is neither a
// Content-MD5 nor a checksum, which may also follow the body.
void require_digest(const base::Headers& headers);

// The checksum that a name in x-amz-trailer announces; nullopt where it announces no supported one.
std::optional<base::Checksum> announced_checksum(std::string_view trailer);

// Throws where the headers, or trailers, of a body state another digest than it has: Content-MD5, and where `checksums`
// is set, x-amz-checksum-*.
void check_digests(const base::Headers& headers, bool checksums, std::string_view body);

}  // namespace doors::objects
