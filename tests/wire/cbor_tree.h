// SPDX-License-Identifier: Apache-2.0
// CBOR as text, with sorted members and one format for numbers, to compare two encodings
// of one value. Independent of the codec under test.
#pragma once

#include <string>

std::string cbor_tree(const std::string& bytes);
