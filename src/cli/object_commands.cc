// SPDX-License-Identifier: Apache-2.0
// stoker object ls|get|put|rm
#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>
#include <stdexcept>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/object_store.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "cli/usage_error.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

constexpr std::size_t kMaxPutBytes = std::size_t{1} << 30;

struct ObjectPath {
  std::string bucket, key;
};

ObjectPath parse_path(std::string text) {
  if (text.starts_with("s3://")) text.erase(0, 5);
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return {text, ""};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

ObjectPath parse_object(const std::string& text) {
  ObjectPath path = parse_path(text);
  if (path.bucket.empty() || path.key.empty()) throw UsageError("'" + text + "' is no object: use BUCKET/KEY");
  return path;
}

std::string read_all(std::istream& in, const std::string& name) {
  std::string bytes;
  char piece[64 * 1024];
  while (in.read(piece, sizeof piece) || in.gcount() > 0) {
    bytes.append(piece, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > kMaxPutBytes) throw std::runtime_error(name + " is larger than 1 GiB: use `aws s3 cp`, which sends it in parts");
  }
  return bytes;
}

struct PrintedObject {
  std::string bucket, key;
  std::optional<std::string> file;
};
BOOST_DESCRIBE_STRUCT(PrintedObject, (), (bucket, key, file))

void print_object(const Options& options, const PrintedObject& object, const std::string& text, std::ostream& out) {
  if (options.json) return print_json(out, object);
  out << text << '\n';
}

struct PrintedBuckets {
  std::vector<shapes::s3::Bucket> Buckets;
};
BOOST_DESCRIBE_STRUCT(PrintedBuckets, (), (Buckets))

int print_buckets(const Options& options, ObjectStore& store, std::ostream& out) {
  const PrintedBuckets printed{store.buckets()};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.Buckets.empty()) {
    out << "no buckets\n";
    return 0;
  }
  Rows rows{{"BUCKET", "CREATED"}};
  for (const auto& bucket : printed.Buckets) {
    rows.push_back({bucket.Name.value_or(""), bucket.CreationDate ? wire::to_iso8601(*bucket.CreationDate) : "-"});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace

int object_list(const Options& options, const std::string& object, bool recursive, std::ostream& out) {
  ObjectStore store(read_profile(options));
  const ObjectPath path = parse_path(object);
  if (path.bucket.empty()) return print_buckets(options, store, out);
  const ObjectListing listing = store.list(path.bucket, path.key, recursive);
  if (options.json) {
    print_json(out, listing);
    return 0;
  }
  if (listing.Contents.empty() && listing.CommonPrefixes.empty()) {
    out << "no objects in " << object << '\n';
    return 0;
  }
  Rows rows{{"SIZE", "CHANGED", "KEY"}};
  for (const auto& prefix : listing.CommonPrefixes) rows.push_back({"-", "-", prefix.Prefix.value_or("")});
  for (const auto& one : listing.Contents) {
    rows.push_back({std::to_string(one.Size.value_or(0)), one.LastModified ? wire::to_iso8601(*one.LastModified) : "-",
                    one.Key.value_or("")});
  }
  print_table(out, rows);
  return 0;
}

int object_get(const Options& options, const std::string& object, const std::string& file, std::ostream& out) {
  ObjectStore store(read_profile(options));
  const ObjectPath path = parse_object(object);
  if (file == "-") {
    store.get(path.bucket, path.key, [&](std::string_view piece) { out.write(piece.data(), static_cast<std::streamsize>(piece.size())); });
    return 0;
  }
  std::string name = file.empty() ? path.key.substr(path.key.rfind('/') + 1) : file;
  if (std::filesystem::is_directory(name)) name += "/" + path.key.substr(path.key.rfind('/') + 1);
  if (name.empty() || name.ends_with('/')) throw std::runtime_error("the key ends with '/': name a file");
  // A reader of the file never sees a part of the object.
  const std::string part = name + ".part";
  std::ofstream to(part, std::ios::binary | std::ios::trunc);
  if (!to) throw std::runtime_error(part + " cannot be written");
  try {
    store.get(path.bucket, path.key, [&](std::string_view piece) { to.write(piece.data(), static_cast<std::streamsize>(piece.size())); });
    to.close();
    if (!to) throw std::runtime_error(part + " cannot be written");
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  std::filesystem::rename(part, name);
  print_object(options, {path.bucket, path.key, name}, name, out);
  return 0;
}

int object_put(const Options& options, const std::string& file, const std::string& object, std::istream& in, std::ostream& out) {
  ObjectPath path = parse_path(object);
  if (path.key.empty() || path.key.ends_with('/')) {
    if (file == "-") throw UsageError("'" + object + "' is no object: use BUCKET/KEY");
    path.key += std::filesystem::path(file).filename().string();
  }
  std::string bytes;
  if (file == "-") {
    bytes = read_all(in, "standard input");
  } else {
    std::ifstream from(file, std::ios::binary);
    if (!from || std::filesystem::is_directory(file)) throw std::runtime_error(file + " cannot be read");
    bytes = read_all(from, file);
  }
  ObjectStore(read_profile(options)).put(path.bucket, path.key, std::move(bytes));
  print_object(options, {path.bucket, path.key, file}, path.bucket + "/" + path.key, out);
  return 0;
}

int object_remove(const Options& options, const std::string& object, std::ostream& out) {
  const ObjectPath path = parse_object(object);
  ObjectStore(read_profile(options)).remove(path.bucket, path.key);
  print_object(options, {path.bucket, path.key, std::nullopt}, "removed " + path.bucket + "/" + path.key, out);
  return 0;
}

}  // namespace cli
