// SPDX-License-Identifier: Apache-2.0
// The rows of series: which metrics there are.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/time.h"
#include "store/store.h"
#include "telemetry/metrics/metric.h"

namespace telemetry {

// 0 if absent.
std::int64_t find_series_row(store::Tx& tx, std::string_view key);
std::int64_t insert_series_row(store::Tx& tx, const Metric& metric, std::string_view key, base::Time now);
// A series without points in memory gets one: in the same transaction, so that it can't expire at that moment.
void touch_series_row(store::Tx& tx, std::int64_t series, base::Time now);
// The row must exist.
std::string read_series_key(store::Tx& tx, std::int64_t series);
std::map<std::string, std::int64_t> count_series_rows(store::Tx& tx);  // by account

}  // namespace telemetry
