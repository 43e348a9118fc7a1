// SPDX-License-Identifier: Apache-2.0
// Headers in the query of a presigned URL, whose user cannot send any.
#pragma once

#include "http/message.h"

namespace doors::objects {

// Adds them to the headers that the request lacks. What belongs to the signature stays in the query, and so do
// checksums, as at Amazon: a URL is made before its body is known.
http::RequestHead with_query_headers(const http::RequestHead& head);

}  // namespace doors::objects
