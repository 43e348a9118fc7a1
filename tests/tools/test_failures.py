# SPDX-License-Identifier: Apache-2.0
"""tools/failures.py names the failed cases of each kind of log, and their reasons."""
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools/failures.py"

GOOGLETEST = """
2/3 Test #2: unit.wire ........................***Failed    0.10 sec
[ RUN      ] Json.Good
[       OK ] Json.Good (0 ms)
[ RUN      ] Json.Bad
/src/wire/json_test.cc:12: Failure
Expected: true
[  FAILED  ] Json.Bad (0 ms)
3/3 Test #3: unit.api .........................***Timeout 600.00 sec
[ RUN      ] Api.Hangs

33% tests passed, 2 tests failed out of 3
"""
PYTEST = """
____________________ test_bad[1] ____________________
    def test_bad(n):
>       assert x == 3
E       assert 1 == 3
test_a.py:8: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_bad[1] - assert 1 == 3
1 failed, 5 passed in 0.09s
"""
NODE = """
ℹ fail 1
✖ failing tests:

test at t.test.mjs:3:1
✖ a thing (1.208667ms)
  AssertionError [ERR_ASSERTION]: one is not two
      at TestContext.<anonymous> (file:///t.test.mjs:3:38)
"""
SANITIZER = """
==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x1
    #0 0x1 in f /work/src/http/a.cc:12
"""


def output_of(tmp_path, text):
    log = tmp_path / "step.log"
    log.write_text(text)
    return subprocess.run([sys.executable, PROGRAM, log], capture_output=True, text=True, check=True).stdout


def test_googletest(tmp_path):
    text = output_of(tmp_path, GOOGLETEST)
    assert "Json.Bad\n    /src/wire/json_test.cc:12: Failure\n      Expected: true\n" in text
    assert "Api.Hangs did not end" in text and "Timeout" in text and "Json.Good" not in text


def test_pytest(tmp_path):
    assert "test_a.py::test_bad[1]\n      assert 1 == 3\n" in output_of(tmp_path, PYTEST)


def test_node(tmp_path):
    assert "a thing\n      AssertionError [ERR_ASSERTION]: one is not two\n" in output_of(tmp_path, NODE)


def test_sanitizers(tmp_path):
    text = output_of(tmp_path, SANITIZER)
    assert "heap-use-after-free" in text and "/work/src/http/a.cc:12" in text


def test_a_compiler_error(tmp_path):
    assert "a.cc:1:2: error: no such thing" in output_of(tmp_path, "a.cc:1:2: error: no such thing\n")


def test_an_unknown_log_ends_with_its_last_lines(tmp_path):
    assert "    the last words\n" in output_of(tmp_path, "x\n" * 100 + "the last words\n")


def test_there_are_thirty_lines_at_most(tmp_path):
    many = "".join(f"FAILED test_a.py::test_{i} - assert {i}\n" for i in range(100))
    assert len(output_of(tmp_path, many).splitlines()) <= 30
