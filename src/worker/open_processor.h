// SPDX-License-Identifier: Apache-2.0
// The processor that the options choose.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "worker/options.h"
#include "worker/processor.h"

namespace worker {

std::unique_ptr<Processor> open_processor(const Options& options, boost::asio::any_io_executor executor,
                                          OnStart on_start);

// The command of a built-in processor: a program in the folder of this one, or else in PATH.
std::vector<std::string> builtin_words(const Options& options);

}  // namespace worker
