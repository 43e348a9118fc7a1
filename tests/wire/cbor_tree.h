// SPDX-License-Identifier: Apache-2.0
// CBOR as text, with members sorted and all numbers alike, to compare two encodings
// of one value. Written apart from the codec under test.
#pragma once

#include <string>

std::string cbor_tree(const std::string& bytes);
