// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "services/logs/insights/functions.h"

namespace services::logs::insights {
namespace {

using Arguments = std::vector<Value>;

Value finite(double value) { return std::isfinite(value) ? Value::of(value) : Value::null(); }

template <double (*Fn)(double)>
Value of_one(const Expression&, const Arguments& arguments) {
  const auto number = arguments[0].as_number();
  return number ? finite(Fn(*number)) : Value::null();
}

double absolute(double x) { return std::abs(x); }
double up(double x) { return std::ceil(x); }
double down(double x) { return std::floor(x); }
double natural_logarithm(double x) { return std::log(x); }
double square_root(double x) { return std::sqrt(x); }
double whole(double x) { return std::trunc(x); }
double same(double x) { return x; }

Value round_to(const Expression&, const Arguments& arguments) {
  const auto number = arguments[0].as_number();
  const auto digits = arguments.size() > 1 ? arguments[1].as_number() : 0;
  if (!number || !digits || std::abs(*digits) > 15) return {};
  const double scale = std::pow(10, std::trunc(*digits));
  return finite(std::round(*number * scale) / scale);
}

template <bool Largest>
Value extreme(const Expression&, const Arguments& arguments) {
  std::optional<double> best;
  for (const Value& one : arguments) {
    const auto number = one.as_number();
    if (number && (!best || (Largest ? *number > *best : *number < *best))) best = number;
  }
  return best ? Value::of(*best) : Value::null();
}

// Kilometres between two places, given by latitude and longitude in degrees.
Value haversine(const Expression&, const Arguments& arguments) {
  double radians[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto number = arguments[i].as_number();
    if (!number) return {};
    radians[i] = *number * std::numbers::pi / 180;
  }
  const double latitude = std::sin((radians[2] - radians[0]) / 2), longitude = std::sin((radians[3] - radians[1]) / 2);
  const double a = latitude * latitude + std::cos(radians[0]) * std::cos(radians[2]) * longitude * longitude;
  return finite(2 * 6371.0 * std::asin(std::min(1.0, std::sqrt(a))));
}

Value is_present(const Expression&, const Arguments& arguments) { return Value::of(!arguments[0].is_null()); }
Value is_numeric(const Expression&, const Arguments& arguments) { return Value::of(arguments[0].as_number().has_value()); }

Value coalesce(const Expression&, const Arguments& arguments) {
  for (const Value& one : arguments) {
    if (!one.is_null()) return one;
  }
  return {};
}

Value choose(const Expression&, const Arguments& arguments) {
  return arguments[0].holds() ? arguments[1] : arguments.size() > 2 ? arguments[2] : Value::null();
}

// case(condition, value, condition, value, ..., otherwise)
Value choose_case(const Expression&, const Arguments& arguments) {
  std::size_t i = 0;
  for (; i + 1 < arguments.size(); i += 2) {
    if (arguments[i].holds()) return arguments[i + 1];
  }
  return i < arguments.size() ? arguments[i] : Value::null();
}

Value message_size(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  return Value::of(static_cast<double>(arguments[0].as_text().size()));
}

}  // namespace

const std::vector<FunctionRow>& number_functions() {
  static const std::vector<FunctionRow> rows = {
      {"abs", 1, 1, &of_one<&absolute>},
      {"ceil", 1, 1, &of_one<&up>},
      {"floor", 1, 1, &of_one<&down>},
      {"greatest", 1, kManyArguments, &extreme<true>},
      {"least", 1, kManyArguments, &extreme<false>},
      {"log", 1, 1, &of_one<&natural_logarithm>},
      {"sqrt", 1, 1, &of_one<&square_root>},
      {"round", 1, 2, &round_to},
      {"tonumber", 1, 1, &of_one<&same>},
      {"todouble", 1, 1, &of_one<&same>},
      {"toint", 1, 1, &of_one<&whole>},
      {"tolong", 1, 1, &of_one<&whole>},
      {"haversine", 4, 4, &haversine},
      {"ispresent", 1, 1, &is_present},
      {"isnumeric", 1, 1, &is_numeric},
      {"coalesce", 1, kManyArguments, &coalesce},
      {"if", 2, 3, &choose},
      {"case", 2, kManyArguments, &choose_case},
      {"messagesize", 0, 1, &message_size},
  };
  return rows;
}

const FunctionRow* find_function(std::string_view name) {
  for (const auto* rows : {&number_functions(), &text_functions(), &json_functions(), &time_functions(), &ip_functions()}) {
    for (const FunctionRow& row : *rows) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

}  // namespace services::logs::insights
