# SPDX-License-Identifier: Apache-2.0
"""tools/tidy.py finds a breach of each rule, names its line, and accepts correct code."""
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import tidy  # noqa: E402

CMAKE = """
module(base)
module(store DEPS base LIBS SQLite::SQLite3)
module(services/sqs FOLDERS queues DEPS base store APART x.cc)
module(http DEPS base)
"""


@pytest.fixture
def found(tmp_path):
    """found(path, text) -> the findings in a tree that has this file alone: ["line rule", ...]."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/CMakeLists.txt").write_text(CMAKE)

    def check(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("// SPDX-License-Identifier: Apache-2.0\n" + text)
        return [f"{number} {rule}" for name, number, rule, _ in tidy.findings(tmp_path) if name == path]

    return check


def test_correct_code_has_no_findings(found):
    text = '#include <sqlite3.h>\n\n#include "base/time.h"\n\nconstexpr int kMost = 5;\nint f(int now) { return now; }\n'
    assert found("src/store/a.cc", text) == []


@pytest.mark.parametrize(
    "path,line,rule",
    [
        ("src/store/a.cc", '#include "http/server.h"', "include"),
        ("src/store/a.cc", '#include "nowhere.h"', "include"),
        ("src/services/sqs/a.cc", "#include <sqlite3.h>", "library"),
        ("src/store/a.cc", "#include <boost/spirit/home.hpp>", "library"),
        ("src/services/sqs/a.h", "#include <boost/json.hpp>", "library"),
        ("src/services/sqs/a.cc", "auto now = std::chrono::system_clock::now();", "clock"),
        ("src/services/sqs/a.cc", "base::Time now = base::SystemClock().now();", "clock"),
        ("src/services/sqs/a.cc", "std::time_t now = std::time(nullptr);", "clock"),
        ("src/http/a_test.cc", "  std::this_thread::sleep_for(1s);", "sleep"),
        ("src/http/a_test.cc", "  usleep(1000);", "sleep"),
        ("src/http/a.cc", "std::map<int, std::vector<int>> cache;", "global"),
        ("src/http/a.cc", "int count = 0;", "global"),
        ("src/http/a.cc", "  static std::string text;", "global"),
        ("src/http/a.cc", "  const int x = f(co_await g());", "await"),
        ("src/http/a.cc", "  if (due(now()) && co_await f()) g();", "await"),
        ("src/elsewhere/a.cc", "", "module"),
        ("src/services/sqs/messages/a.cc", "", "module"),
    ],
)
def test_a_breach_is_found(found, path, line, rule):
    expected = "1" if rule == "module" else "2"
    assert f"{expected} {rule}" in found(path, line + "\n")


@pytest.mark.parametrize(
    "path,line",
    [
        ("src/services/sqs/a.cc", "#include <boost/json.hpp>"),
        ("src/services/sqs/queues/a.cc", '#include "store/store.h"'),
        ("src/services/sqs/a.cc", "  row.created_at = row.time(0);"),
        ("src/services/sqs/a.cc", "// std::chrono::system_clock::now() is not for us"),
        ("src/services/sqs/a.cc", 'constexpr auto kSql = R"(\nint count;\n)";'),
        ("src/http/a.cc", "  co_await sleep_for(kRetry);"),
        ("src/http/a.cc", "using Text = std::string;"),
        ("src/http/a.cc", "  if (due(now())) co_await f();"),
        ("src/http/a.cc", "  static constexpr int kMost = 5;"),
        ("src/http/a.h", "  static Server make(int port);"),
        ("src/http/a.h", "extern template struct Table<int>;"),
    ],
)
def test_what_only_looks_like_a_breach_is_accepted(found, path, line):
    assert found(path, line + "\n") == []


def test_long_files_and_functions_are_found(found):
    body = "int f(int x) {\n" + "  x += 1;\n" * 70 + "  return x;\n}\n"
    assert found("src/http/a.cc", body) == ["2 size"]
    assert found("src/http/b.cc", "\n" * 600) == ["602 size"]


def test_a_module_may_not_depend_on_one_below(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/CMakeLists.txt").write_text("module(a DEPS b)\nmodule(b)\nmodule(services/x)\nmodule(services/y DEPS services/x)\n")
    assert [(number, rule) for number, rule, _ in tidy.check_modules(tidy.modules(tmp_path))] == [(1, "module"), (4, "module")]
