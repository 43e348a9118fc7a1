// SPDX-License-Identifier: Apache-2.0
// A browser's form in one piece and cut in two: both must give the same fields and file, or fail
// with the same error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "signing/form_data.h"

namespace {

constexpr std::size_t kMaxFieldBytes = 20480;

using AfterFile = signing::FormData::AfterFile;

std::string transcript(std::string_view bytes, std::size_t cut, AfterFile after_file) {
  signing::FormData form("multipart/form-data; boundary=b", after_file);
  std::string file, found;
  try {
    for (std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
      while (!piece.empty()) {
        const bool begun = form.file_begun();
        const std::string_view data = form.next(piece);
        CHECK(begun || data.empty()) << "bytes before the file";
        file += data;
      }
    }
    form.finish();
  } catch (const signing::BodyError& error) {
    return "refused " + error.code();
  }
  for (const auto& [name, value] : form.fields()) found += name + "=" + value + "\n";
  CHECK(found.size() <= kMaxFieldBytes) << "fields without a bound";
  CHECK(bytes.find(file) != bytes.npos) << "bytes that were not sent";
  return found + form.file().name + "\n" + form.file().content_type + "\n" + file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = data[0] * bytes.size() / 256;
  for (AfterFile after_file : {AfterFile::Ignored, AfterFile::Fields}) {
    CHECK(transcript(bytes, bytes.size(), after_file) == transcript(bytes, cut, after_file))
        << "a cut at " << cut << " mattered";
  }

  try {
    signing::FormData form(bytes);
  } catch (const signing::BodyError&) {
  }
  return 0;
}
