// SPDX-License-Identifier: Apache-2.0
// How Stoker's own service is called on the wire.
#pragma once

#include "wire/operation.h"

namespace shapes::stoker {

inline constexpr wire::ErrorSpec kErrors[] = {
    {"AccessDeniedException", "AccessDenied", 403, true, ""},
    {"InvalidJoinTokenException", "", 403, true, ""},
    {"JoinTokenNotFoundException", "", 404, true, ""},
    {"KeyExistsException", "", 409, true, ""},
    {"KeyNotFoundException", "", 404, true, ""},
    {"LimitExceededException", "", 400, true, ""},
    {"ValidationException", "", 400, true, ""},
    {"WebhookExistsException", "", 409, true, ""},
    {"WebhookNotFoundException", "", 404, true, ""},
};

// A tag of RunTask: where there is no room, its tasks wait in a queue of the cluster, the oldest first.
inline constexpr char kWaitTag[] = "stoker:wait";

inline constexpr wire::Service kService{
    .name = "stoker", .target_prefix = "Stoker", .api_version = "2026-11-01", .errors = kErrors};

}  // namespace shapes::stoker
