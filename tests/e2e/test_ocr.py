# SPDX-License-Identifier: Apache-2.0
"""stoker-ocr, as the worker starts it: rendered pages in, words and boxes out; files that it must refuse."""
import contextlib
import hashlib
import itertools
import json
import pathlib
import random
import signal
import subprocess

import pytest
from PIL import Image, ImageDraw, ImageFont

from support.cluster import Cluster
from support.job_requests import Jobs
from support.pipelines import Pipelines
from support.server import binary, start_process
from support.waiting import ALARM_PATIENCE_SECONDS, PATIENCE_SECONDS, eventually

PROGRAM = pathlib.Path(binary()).with_name("stoker-ocr")
FONTS = pathlib.Path("/usr/share/fonts/truetype")
SANS, SERIF, MONO = (
    FONTS / "dejavu/DejaVuSans.ttf",
    FONTS / "liberation/LiberationSerif-Regular.ttf",
    FONTS / "liberation/LiberationMono-Regular.ttf",
)
LINES = ["The boiler needs more coal", "Invoice 4711 of March"]


class Ocr:
    """A running stoker-ocr."""

    def __init__(self, *arguments):
        timeout = [] if "--timeout" in arguments else ["--timeout", f"{PATIENCE_SECONDS}s"]
        self.process = start_process([PROGRAM, *arguments, *timeout], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ids = map(str, itertools.count(1))

    def send(self, path, **more):
        request = {"id": next(self.ids), "input": str(path), "bucket": "b", "key": "in/x", "content_type": "", "metadata": {}}
        self.write(json.dumps({**request, "batch": {"index": 0, "size": 1}, **more}))
        return request["id"]

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, path, **more):
        sent = self.send(path, **more)
        answer = self.answer()
        assert answer["id"] == sent
        return answer

    def pages(self, path, **more):
        answer = self.ask(path, **more)
        assert "result" in answer, answer
        return answer["result"]["pages"]

    def error(self, path, **more):
        answer = self.ask(path, **more)
        assert "error" in answer, str(answer)[:500]
        return answer["error"]["type"], answer["error"]["message"]

    def children(self):
        pid = self.process.pid
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def close(self):
        """At the end of its input it ends by itself."""
        self.process.stdin.close()
        status = self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()
        return status


@pytest.fixture(scope="module")
def ocr():
    running = Ocr()
    yield running
    assert running.close() == 0


@pytest.fixture
def start():
    started = []

    def begin(*arguments):
        started.append(Ocr(*arguments))
        return started[-1]

    yield begin
    for running in started:
        running.process.kill()
        running.process.wait()
        with contextlib.suppress(BrokenPipeError):
            running.process.stdin.close()
        running.process.stdout.close()


def page_image(lines=LINES, font=SANS, size=40, mode="RGB"):
    image = Image.new(mode, (1000, 400), "white")
    draw, face = ImageDraw.Draw(image), ImageFont.truetype(str(font), size)
    for number, line in enumerate(lines):
        draw.text((50, 60 + number * 2 * size), line, font=face, fill="black")
    return image


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Good files of every format, {suffix: path}."""
    folder = tmp_path_factory.mktemp("files")
    pages = [page_image([f"Page number {number} of three", "with some words"]) for number in (1, 2, 3)]
    made = {suffix: folder / f"letter.{suffix}" for suffix in ("png", "jpg", "tif", "pdf")}
    page_image().save(made["png"])
    page_image().save(made["jpg"], quality=90)
    pages[0].save(made["tif"], save_all=True, append_images=pages[1:], compression="tiff_lzw")
    pages[0].save(made["pdf"], save_all=True, append_images=pages[1:], resolution=150)
    return made


def words_of(page):
    return [word["text"] for word in page["words"]]


@pytest.mark.parametrize("font", [SANS, SERIF, MONO], ids=["sans", "serif", "mono"])
@pytest.mark.parametrize("size", [20, 36])
def test_words_and_their_boxes(ocr, tmp_path, font, size):
    path = tmp_path / "page.png"
    page_image(font=font, size=size).save(path)
    (page,) = ocr.pages(path)
    assert words_of(page) == " ".join(LINES).split()
    assert page["text"].split("\n\n") == [LINES[0], LINES[1] + "\n"], "two paragraphs"
    assert (page["page"], page["width"], page["height"]) == (1, 1000, 400)
    assert page["confidence"] > 80
    face = ImageFont.truetype(str(font), size)
    for word in page["words"]:
        line = 1 if word["text"] in LINES[0].split() else 2
        assert word["line"] == line
        before = LINES[line - 1].split(word["text"])[0]
        left, top = 50 + face.getlength(before), 60 + (line - 1) * 2 * size
        box = word["box"]
        assert abs(box["x"] - left) <= size / 3, word
        assert abs(box["width"] - face.getlength(word["text"])) <= size / 2, word
        assert top <= box["y"] and box["y"] + box["height"] <= top + 1.4 * size, word
        assert 0 < word["confidence"] <= 100


@pytest.mark.parametrize("mode", ["L", "1", "RGBA", "P", "CMYK"])
def test_colours(ocr, tmp_path, mode):
    path = tmp_path / ("page.jpg" if mode == "CMYK" else "page.png")
    page_image().convert(mode).save(path)
    assert words_of(ocr.pages(path)[0]) == " ".join(LINES).split()


def test_the_result_has_its_engine_and_languages(ocr, files):
    result = ocr.ask(files["jpg"])["result"]
    assert result["languages"] == "eng"
    assert result["engine"].startswith("tesseract 5")
    assert result["pages"][0]["text"].split() == " ".join(LINES).split()


@pytest.mark.parametrize("suffix", ["tif", "pdf"])
def test_every_page(ocr, files, suffix):
    pages = ocr.pages(files[suffix])
    assert [page["page"] for page in pages] == [1, 2, 3]
    for page in pages:
        assert page["text"].split() == f"Page number {page['page']} of three with some words".split()
        assert ("dpi" in page) == (suffix == "pdf")


def test_a_pdf_is_rendered_at_300_dpi_and_a_poster_at_less(ocr, tmp_path):
    page_image().save(tmp_path / "page.pdf", resolution=100)
    page_image().save(tmp_path / "poster.pdf", resolution=20)
    (page,), (poster,) = ocr.pages(tmp_path / "page.pdf"), ocr.pages(tmp_path / "poster.pdf")
    assert (page["dpi"], page["width"], page["height"]) == (300, 3000, 1200)
    assert 100 <= poster["dpi"] < 300 and poster["width"] * poster["height"] <= 80e6
    assert words_of(page) == " ".join(LINES).split()


def test_a_blank_page_has_no_words(ocr, tmp_path):
    page_image([]).save(tmp_path / "blank.png")
    (page,) = ocr.pages(tmp_path / "blank.png")
    assert (page["words"], page["text"], page["confidence"]) == ([], "", 0)


def test_the_format_is_found_by_content(ocr, files, tmp_path):
    misnamed = tmp_path / "letter.txt"
    misnamed.write_bytes(files["pdf"].read_bytes())
    assert len(ocr.pages(misnamed, content_type="image/png")) == 3


@pytest.mark.parametrize(
    "content, looks_like",
    [(b"", "an empty file"), (b"GIF89a...", "a GIF image"), (b"Dear all,\n", "plain text"), (b"\x00\xff" * 50, "unknown")],
)
def test_other_formats(ocr, files, tmp_path, content, looks_like):
    (tmp_path / "file").write_bytes(content)
    kind, message = ocr.error(tmp_path / "file")
    assert kind == "UnsupportedFormat" and looks_like in message and "PNG, JPEG, TIFF and PDF" in message
    assert ocr.pages(files["png"])


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "pdf"])
@pytest.mark.parametrize("part", [0.02, 0.5, 0.9])
def test_a_file_that_was_cut_off(ocr, files, tmp_path, suffix, part):
    content = files[suffix].read_bytes()
    (tmp_path / "file").write_bytes(content[: max(64, int(len(content) * part))])
    kind, message = ocr.error(tmp_path / "file")
    assert kind == "BrokenFile", message


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "pdf"])
def test_a_file_of_garbage_behind_its_signature(ocr, files, tmp_path, suffix):
    garbage = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(200))
    (tmp_path / "file").write_bytes(files[suffix].read_bytes()[:16] + garbage)
    assert ocr.error(tmp_path / "file")[0] == "BrokenFile"
    assert ocr.pages(files["png"])


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "pdf"])
def test_damaged_bytes_are_answered_and_harm_nothing(ocr, files, tmp_path, suffix):
    """Some damaged files can still be read; which ones depends on the libraries."""
    numbers = random.Random(suffix)
    for _ in range(10):
        content = bytearray(files[suffix].read_bytes())
        for _ in range(numbers.choice([1, 5, 50])):
            content[numbers.randrange(min(len(content), numbers.choice([600, len(content)])))] = numbers.randrange(256)
        (tmp_path / "file").write_bytes(content)
        answer = ocr.ask(tmp_path / "file")
        assert "result" in answer or answer["error"]["type"] in ("BrokenFile", "UnsupportedFormat", "TooLarge"), answer
    assert words_of(ocr.pages(files["png"])[0]) == " ".join(LINES).split()


def rc4(key, data):
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def encrypted_pdf(password):
    """A blank page, encrypted as PDF 1.4 does it (40-bit RC4); without a password everyone can read it."""
    padding = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
    user, owner, name = ((text.encode() + padding)[:32] for text in (password, "owner", ""))
    owner_entry = rc4(hashlib.md5(owner).digest()[:5], user)
    rights = (-4 & 0xFFFFFFFF).to_bytes(4, "little")
    key = hashlib.md5(user + owner_entry + rights + name[:16]).digest()[:5]
    entries = f"/O<{owner_entry.hex()}>/U<{rc4(key, padding).hex()}>"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>",
        f"<</Filter/Standard/V 1/R 2{entries}/P -4>>",
    ]
    text, places = "%PDF-1.4\n", []
    for number, value in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{value}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    identity = f"[<{name[:16].hex()}><{name[:16].hex()}>]"
    text += f"xref\n0 5\n0000000000 65535 f \n{table}trailer\n<</Size 5/Root 1 0 R/Encrypt 4 0 R/ID{identity}>>\n"
    return text + f"startxref\n{text.index('xref')}\n%%EOF\n"


def test_an_encrypted_pdf(ocr, files, tmp_path):
    (tmp_path / "locked.pdf").write_text(encrypted_pdf("secret"))
    kind, message = ocr.error(tmp_path / "locked.pdf")
    assert kind == "EncryptedPdf" and "password" in message
    (tmp_path / "open.pdf").write_text(encrypted_pdf(""))
    assert len(ocr.pages(tmp_path / "open.pdf")) == 1
    assert ocr.pages(files["png"])


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif"])
def test_a_page_of_100_megapixels(ocr, files, tmp_path, suffix):
    path = tmp_path / f"large.{suffix}"
    Image.new("L", (10000, 10000), "white").save(path, **({"compression": "tiff_lzw"} if suffix == "tif" else {}))
    kind, message = ocr.error(path)
    assert kind == "TooLarge" and "10000 x 10000 pixels; the limit is 80 megapixels" in message
    assert ocr.pages(files["png"])


def test_a_pdf_page_too_large_for_any_resolution(ocr, tmp_path):
    page_image().save(tmp_path / "field.pdf", resolution=1)
    kind, message = ocr.error(tmp_path / "field.pdf")
    assert kind == "TooLarge" and "25400 x 10160 mm" in message


@pytest.mark.parametrize("suffix", ["tif", "pdf"])
def test_too_many_pages(start, files, suffix):
    kind, message = start("--max-pages", "2").error(files[suffix])
    assert kind == "TooLarge" and "--max-pages" in message


def test_a_missing_language_fails_its_file_alone(ocr, files):
    kind, message = ocr.error(files["png"], metadata={"languages": "eng+tlh"})
    assert kind == "MissingLanguage" and "'tlh'" in message and "tesseract-ocr-tlh" in message
    kind, message = ocr.error(files["png"], metadata={"languages": "../../etc/passwd"})
    assert kind == "MissingLanguage" and "not a list of languages" in message
    assert ocr.pages(files["png"])


def test_a_missing_default_language_is_the_answer_to_each_file(start, files):
    running = start("--languages", "tlh")
    for _ in range(2):
        assert running.error(files["png"])[0] == "MissingLanguage"
    assert running.pages(files["png"], metadata={"languages": "eng"})


def test_a_file_that_does_not_exist(ocr, tmp_path):
    assert ocr.error(tmp_path / "none.png")[0] == "Unreadable"
    assert ocr.error(tmp_path)[0] == "Unreadable"


def test_lines_that_are_no_requests(start, files):
    running = start()
    running.write("hello")
    answer = running.answer()
    assert (answer["id"], answer["error"]["type"]) == ("", "InvalidRequest")
    assert "not a JSON object" in answer["error"]["message"]
    running.write('{"id": "7"}')
    assert running.answer()["error"]["type"] == "InvalidRequest"
    assert running.pages(files["png"])
    with contextlib.suppress(BrokenPipeError):
        running.write("x" * (2 << 20))
    assert running.process.wait(PATIENCE_SECONDS) == 2


def test_a_hanging_recogniser_is_timed_out_and_replaced(start, files, tmp_path):
    running = start("--timeout", "10s")
    # It reads requests when its models are loaded.
    assert running.error(tmp_path / "none")[0] == "Unreadable"
    (first,) = running.children()
    subprocess.run(["kill", "-STOP", str(first)], check=True)
    kind, message = running.error(files["png"])
    assert kind == "Timeout" and "10 s" in message
    # On a busy machine ten seconds may be too short more than once.
    eventually(lambda: "result" in running.ask(files["png"]))
    assert running.children() != [first]


def test_a_recogniser_that_died_is_replaced(start, files):
    running = start()
    assert running.pages(files["png"])
    (first,) = running.children()
    subprocess.run(["kill", "-SEGV", str(first)], check=True)
    eventually(lambda: pathlib.Path(f"/proc/{first}/stat").read_text().split()[2] == "Z")
    assert running.pages(files["png"])
    assert running.children() != [first]


def test_the_recogniser_can_only_compute(ocr, files):
    """Seccomp's mode 2 is a filter."""
    assert ocr.pages(files["png"])
    (child,) = ocr.children()
    state = dict(line.split(":\t") for line in pathlib.Path(f"/proc/{child}/status").read_text().splitlines() if ":\t" in line)
    assert (state["Seccomp"], state["NoNewPrivs"]) == ("2", "1")


def test_its_processes_end_with_it(start, files):
    running = start()
    assert running.pages(files["png"])
    (child,) = running.children()
    running.process.send_signal(signal.SIGKILL)
    running.process.wait()
    gone = pathlib.Path(f"/proc/{child}/stat")
    eventually(lambda: not gone.exists() or gone.read_text().split()[2] == "Z")


def test_once_for_people(files, tmp_path):
    done = subprocess.run([PROGRAM, "--once", files["png"]], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert (done.returncode, done.stdout) == (0, "\n\n".join(LINES) + "\n")
    assert done.stderr.startswith("page 1 of 1: 1000 x 400 pixels, 9 words")
    done = subprocess.run([PROGRAM, "--once", files["tif"], "--json"], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert len(json.loads(done.stdout)["pages"]) == 3
    done = subprocess.run([PROGRAM, "--once", tmp_path / "none"], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 1 and "Unreadable" in done.stderr


def test_in_a_pipeline_a_bad_file_fails_its_job_alone(files, tmp_path):
    """Files that are placed in the bucket are jobs; the good one comes last."""
    Image.new("L", (10000, 10000), "white").save(tmp_path / "poster.png")
    page = files["png"].read_bytes()
    inputs = {"broken.png": page[: len(page) // 2], "locked.pdf": encrypted_pdf("secret").encode(),
              "poster.png": (tmp_path / "poster.png").read_bytes(), "foreign.png": page, "good.png": page}
    with Cluster() as cluster:
        cluster.add("box", arguments=["--cpu", "8192", "--memory", "8192"])
        pipelines = Pipelines(cluster.server.data)
        pipelines.apply({"name": "scan", "builtin": "ocr", "retries": 1, "idle": "10s"})
        jobs = Jobs(cluster.server, "scan", pipelines.json("key", "create", "scan")["secret"])
        for name, content in inputs.items():
            metadata = {"languages": "tlh"} if name == "foreign.png" else {}
            cluster.client("s3").put_object(Bucket=pipelines.show("scan")["bucket"], Key="in/" + name, Body=content,
                                            Metadata=metadata)

        def ended():
            found = jobs.call("GET", jobs.path).json["jobs"]
            return found if all(job["finished_at"] for job in found) else None

        found = {job["input"]["key"]: job for job in eventually(ended, ALARM_PATIENCE_SECONDS)}
        seen = {key: (job["status"], job["error"] and job["error"]["type"], job["attempts"]) for key, job in found.items()}
        assert seen == {
            "in/broken.png": ("FAILED", "BrokenFile", 1), "in/locked.pdf": ("FAILED", "EncryptedPdf", 1),
            "in/poster.png": ("FAILED", "TooLarge", 1), "in/foreign.png": ("FAILED", "MissingLanguage", 2),
            "in/good.png": ("SUCCEEDED", None, 1)}
        assert "tesseract-ocr-tlh" in found["in/foreign.png"]["error"]["message"]
        result = jobs.call("GET", f"/jobs/{found['in/good.png']['task_id']}/result").json
        assert words_of(result["pages"][0]) == " ".join(LINES).split()
