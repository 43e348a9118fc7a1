// SPDX-License-Identifier: Apache-2.0
// Columns of a block: times and values, each compressed by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/metrics/bytes.h"

namespace telemetry {

// Seconds in ascending order. A regular interval costs nothing; else the change of the interval is stored, as in
// Facebook's Gorilla.
void append_times(const std::vector<std::int64_t>& times, std::string& out);
// Values: as decimals with few digits (differences of integers), or as doubles (XOR with the one before), whatever is
// shorter.
void append_values(const std::vector<double>& values, std::string& out);

// Read `count` of them. Damaged bytes make the reader bad; the result then has no meaning.
std::vector<std::int64_t> read_times(ByteReader& in, std::size_t count);
std::vector<double> read_values(ByteReader& in, std::size_t count);

}  // namespace telemetry
