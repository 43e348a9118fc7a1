// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/dashboards/dashboard_body.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <optional>

#include "services/cloudwatch/metric_reading.h"
#include "services/cloudwatch/statistic.h"
#include "wire/error.h"

namespace services::cloudwatch {
namespace {

namespace json = boost::json;

constexpr char kMetricRows[] =
    "Field \"metrics\" has to be an array of array of strings, with an optional metricRenderer object as last element";
constexpr char kStatisticPattern[] =
    "^(SampleCount|Average|Sum|Minimum|Maximum|IQM|(p|tc|tm|ts|wm)(\\d{1,2}(\\.\\d{0,10})?|100)|"
    "(TM|TC|TS|WM|PR)\\(.*:.*\\))$";

class BodyChecker {
 public:
  std::vector<BodyProblem> check(const json::object& body) {
    const json::value* widgets = body.if_contains("widgets");
    if (!widgets) {
      add("", "Should have required property 'widgets'");
    } else if (!widgets->is_array()) {
      add("/widgets", "Should be array");
    } else {
      std::size_t index = 0;
      for (const json::value& widget : widgets->get_array()) {
        if (problems_.size() >= kMaxBodyProblems) break;
        check_widget(widget, "/widgets/" + std::to_string(index++));
      }
    }
    return std::move(problems_);
  }

 private:
  void add(std::string path, std::string message) {
    if (problems_.size() < kMaxBodyProblems) problems_.push_back({std::move(path), std::move(message)});
  }

  void check_number(const json::object& widget, const std::string& path, const char* name, double least, double most) {
    const json::value* value = widget.if_contains(name);
    if (!value) return;
    const std::string at = path + "/" + name;
    if (!value->is_number()) return add(at, "Should be integer");
    const double number = value->to_number<double>();
    if (number != std::floor(number)) add(at, "Should be integer");
    if (number < least) add(at, "Should be >= " + std::to_string(static_cast<int>(least)));
    if (number > most) add(at, "Should be <= " + std::to_string(static_cast<int>(most)));
  }

  void require(const json::object& object, const std::string& path, const char* name) {
    if (!object.if_contains(name)) add(path, std::string("Should have required property '") + name + "'");
  }

  void check_widget(const json::value& value, const std::string& path) {
    if (!value.is_object()) return add(path, "Should be object");
    const json::object& widget = value.get_object();
    require(widget, path, "type");
    require(widget, path, "properties");
    check_number(widget, path, "x", 0, 23);
    check_number(widget, path, "y", 0, 1e9);
    check_number(widget, path, "width", 1, 24);
    check_number(widget, path, "height", 1, 1000);
    const json::value* type = widget.if_contains("type");
    const json::value* properties = widget.if_contains("properties");
    if (!type || !properties) return;
    const std::string inside = path + "/properties";
    if (!type->is_string()) return add(path + "/type", "Should be string");
    if (!properties->is_object()) return add(inside, "Should be object");
    const std::string_view kind = type->get_string();
    if (kind == "text") require(properties->get_object(), inside, "markdown");
    if (kind == "alarm") require(properties->get_object(), inside, "alarms");
    // Other types are accepted unchecked, as on Amazon.
    if (kind == "metric") check_metric_widget(properties->get_object(), inside);
  }

  void check_metric_widget(const json::object& properties, const std::string& path) {
    const json::value* metrics = properties.if_contains("metrics");
    const json::value* annotations = properties.if_contains("annotations");
    const bool alarms = annotations && annotations->is_object() && annotations->get_object().if_contains("alarms");
    if (!(properties.if_contains("region") && metrics) && !alarms) {
      add(path, "The metric widget should have specified a region and a data source or an alarm annotation");
    }
    if (metrics) check_rows(*metrics, path + "/metrics");
    if (const json::value* period = properties.if_contains("period")) check_period(*period, path + "/period");
    if (const json::value* stat = properties.if_contains("stat")) check_statistic(*stat, path + "/stat");
  }

  void check_rows(const json::value& metrics, const std::string& path) {
    if (!metrics.is_array()) return add(path, kMetricRows);
    std::size_t index = 0;
    for (const json::value& row : metrics.get_array()) {
      const std::string at = path + "/" + std::to_string(index++);
      if (!row.is_array()) {
        add(path, kMetricRows);
        continue;
      }
      check_row(row.get_array(), at);
    }
  }

  // Namespace and name, then pairs of a dimension and its value; then perhaps an object.
  void check_row(const json::array& row, const std::string& path) {
    std::size_t texts = row.size();
    if (texts > 0 && row[texts - 1].is_object()) {
      check_renderer(row[texts - 1].get_object(), path + "/" + std::to_string(texts - 1));
      --texts;
    }
    for (std::size_t i = 0; i < texts; ++i) {
      if (row[i].is_string()) continue;
      add(path + "/" + std::to_string(i), "Invalid metric field type, only \"String\" type is allowed");
    }
    if (texts > 2 && texts % 2 == 1) add(path, "Should NOT have more than 2 items");
  }

  void check_renderer(const json::object& renderer, const std::string& path) {
    if (const json::value* period = renderer.if_contains("period")) check_period(*period, path + "/period");
    if (const json::value* stat = renderer.if_contains("stat")) check_statistic(*stat, path + "/stat");
  }

  void check_period(const json::value& value, const std::string& path) {
    if (!value.is_number()) return add(path, "Should be integer");
    const double period = value.to_number<double>();
    if (period == std::floor(period) && period > 0 && period < 1e9 && is_valid_period(static_cast<std::int64_t>(period))) return;
    if (period < 60) add(path, "Should be >= 60");
    add(path, "Should be multiple of 60");
    add(path, "Should match exactly one schema in oneOf");
  }

  void check_statistic(const json::value& value, const std::string& path) {
    if (!value.is_string()) return add(path, "Should be string");
    if (parse_statistic(std::string_view(value.get_string()))) return;
    add(path, std::string("Should match pattern \"") + kStatisticPattern + "\"");
  }

  std::vector<BodyProblem> problems_;
};

}  // namespace

std::vector<BodyProblem> find_body_problems(std::string_view body) {
  boost::system::error_code error;
  const json::value parsed = json::parse(json::string_view(body.data(), body.size()), error);
  if (error || !parsed.is_object()) {
    throw wire::ApiError("DashboardInvalidInputError", "The field DashboardBody must be a valid JSON object");
  }
  return BodyChecker().check(parsed.get_object());
}

}  // namespace services::cloudwatch
