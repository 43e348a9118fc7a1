// SPDX-License-Identifier: Apache-2.0
// Headers that a presigned URL has in its query: who opens it can't send any.
#pragma once

#include "http/message.h"

namespace doors::objects {

// With those among its headers, where it has none of that name. What is about the signature stays where it is,
// and so do checksums, as at Amazon: a URL is made before its body is known.
http::RequestHead with_query_headers(const http::RequestHead& head);

}  // namespace doors::objects
