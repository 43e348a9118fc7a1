// SPDX-License-Identifier: Apache-2.0
// What the server counts of its connections, and the disk of its data folder, for /metrics.
#pragma once

#include <string>

#include "api/metrics.h"
#include "base/disk_space.h"
#include "http/server.h"

namespace control {

// `space` is that of the folder `data`.
api::Metrics::Samples server_samples(const http::Server& server, const std::string& data, const base::DiskSpace& space);

}  // namespace control
