// SPDX-License-Identifier: Apache-2.0
#include "batches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace bench {
namespace {

constexpr char kMetric[] = "DCGM_FI_DEV_GPU_UTIL";

void put_big_endian(std::uint64_t value, std::size_t size, char* at) {
  for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<char>(value >> (8 * (size - 1 - i)));
}

void cbor_head(int major, std::size_t argument, std::string& out) {
  if (argument < 24) {
    out += static_cast<char>(major << 5 | static_cast<int>(argument));
  } else if (argument < 256) {
    out += static_cast<char>(major << 5 | 24);
    out += static_cast<char>(argument);
  } else {
    out += static_cast<char>(major << 5 | 25);
    out += static_cast<char>(argument >> 8);
    out += static_cast<char>(argument);
  }
}
void cbor_text(std::string_view text, std::string& out) {
  cbor_head(3, text.size(), out);
  out += text;
}
void cbor_dimension(std::string_view name, std::string_view value, std::string& out) {
  cbor_head(5, 2, out);
  cbor_text("Name", out);
  cbor_text(name, out);
  cbor_text("Value", out);
  cbor_text(value, out);
}

void varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void bytes_field(int number, std::string_view bytes, std::string& out) {
  varint(static_cast<std::uint64_t>(number) << 3 | 2, out);
  varint(bytes.size(), out);
  out += bytes;
}
void label(std::string_view name, std::string_view value, std::string& out) {
  std::string pair;
  bytes_field(1, name, pair);
  bytes_field(2, value, pair);
  bytes_field(1, pair, out);
}

// One literal: the format allows it, and the generator's time is the server's.
std::string as_snappy(const std::string& bytes) {
  std::string out;
  varint(bytes.size(), out);
  out += static_cast<char>(62 << 2);  // a literal whose length has three bytes
  const std::size_t length = bytes.size() - 1;
  for (int i = 0; i < 3; ++i) out += static_cast<char>(length >> (8 * i));
  return out + bytes;
}

}  // namespace

Gauges::Gauges(int group, std::int64_t first_second)
    : random_(static_cast<std::uint64_t>(group)), second_(first_second), values_(kBatchPoints, 50) {}

void Gauges::advance() {
  ++second_;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i % 8 == 0) bits = random_();
    // A change by up to 1.27 in steps of 0.01.
    const double step = static_cast<double>(static_cast<std::int8_t>(bits >> (i % 8 * 8))) / 100;
    values_[i] = std::round(std::clamp(values_[i] + step, 0.0, 100.0) * 100) / 100;
  }
}

std::string Gauges::host(int group, int index) {
  char name[32];
  std::snprintf(name, sizeof name, "gpu-box-%04d-%03d", group, index / 8);
  return name;
}

CborBatch::CborBatch(int group) {
  cbor_head(5, 2, body_);
  cbor_text("Namespace", body_);
  cbor_text("Bench", body_);
  cbor_text("MetricData", body_);
  cbor_head(4, kBatchPoints, body_);
  for (int i = 0; i < kBatchPoints; ++i) {
    cbor_head(5, 6, body_);
    cbor_text("MetricName", body_);
    cbor_text(kMetric, body_);
    cbor_text("Dimensions", body_);
    cbor_head(4, 2, body_);
    cbor_dimension("Host", Gauges::host(group, i), body_);
    cbor_dimension("Gpu", Gauges::gpu(i), body_);
    cbor_text("Timestamp", body_);
    body_ += "\xC1\x1A";  // a time, four bytes
    times_.push_back(body_.size());
    body_.append(4, 0);
    cbor_text("Value", body_);
    body_ += '\xFB';  // a double
    values_.push_back(body_.size());
    body_.append(8, 0);
    cbor_text("Unit", body_);
    cbor_text("Percent", body_);
    cbor_text("StorageResolution", body_);
    cbor_head(0, 1, body_);
  }
}

const std::string& CborBatch::render(const Gauges& gauges) {
  for (std::size_t i = 0; i < kBatchPoints; ++i) {
    put_big_endian(static_cast<std::uint64_t>(gauges.second()), 4, &body_[times_[i]]);
    put_big_endian(std::bit_cast<std::uint64_t>(gauges.values()[i]), 8, &body_[values_[i]]);
  }
  return body_;
}

std::string remote_write(int group, const Gauges& gauges) {
  std::string request;
  for (int i = 0; i < kBatchPoints; ++i) {
    std::string series, sample;
    label("__name__", kMetric, series);
    label("Gpu", Gauges::gpu(i), series);
    label("Host", Gauges::host(group, i), series);
    sample += '\x09';  // field 1, a double
    char value[8];
    std::memcpy(value, &gauges.values()[static_cast<std::size_t>(i)], sizeof value);
    sample.append(value, sizeof value);
    sample += '\x10';  // field 2, a varint
    varint(static_cast<std::uint64_t>(gauges.second()) * 1000, sample);
    bytes_field(2, sample, series);
    bytes_field(1, series, request);
  }
  return as_snappy(request);
}

}  // namespace bench
