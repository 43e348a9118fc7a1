// SPDX-License-Identifier: Apache-2.0
// Numbers and times as Amazon writes them in the reasons of alarms.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace services::cloudwatch {

// As Java prints a double: "21.0", "0.5", "1.0E7", "1.0E-4".
std::string number_in_reason(double value);
// "02/10/19 17:04:40"
std::string time_in_reason(base::Time time);
// "2019-10-02T17:04:40.985+0000"
std::string time_in_data(base::Time time);
// "Friday 22 July, 2022 15:57:45 UTC"
std::string time_in_sentence(base::Time time);
// "1 datapoint", "2 datapoints"
std::string count_of(std::size_t count, std::string_view noun);

}  // namespace services::cloudwatch
