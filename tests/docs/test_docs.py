# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README.md and docs/*.md, page by page, in their order: each must succeed."""
import os
import pathlib
import tempfile

import pytest

from pages import blocks
from shell import Failed, Shell

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("STOKER_BIN", ROOT / "build/release/src/stoker")).resolve()
# A page that does not start a server itself finds one, and clients with its address and key.
PREPARED = ("stoker up --gpus fake:4xV100 --driver process --name box-a &",
            'eval "$(stoker env)"; alias aws="aws --endpoint-url $AWS_ENDPOINT_URL"')


def pages():
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if any(not block.not_run for block in blocks(page.read_text()))]


def test_every_page_says_why_a_block_is_not_run():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for block in blocks(page.read_text()):
            assert block.commands, f"{page.name}:{block.line}: a block without commands"


@pytest.fixture
def folder():
    # Not pytest's own: tasks run as other users, who must be able to enter it.
    with tempfile.TemporaryDirectory(prefix="stoker-docs-") as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


def make_files(folder):
    """What a reader has: scanned pages and a picture."""
    from PIL import Image, ImageDraw, ImageFont
    font = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", 40)
    (folder / "scans").mkdir()
    for name in ("scans/one.png", "scans/two.png", "cat.jpg", "page.png", "letter.png", "letter.pdf"):
        page = Image.new("RGB", (600, 120), "white")
        ImageDraw.Draw(page).text((30, 30), "Stoker keeps GPUs fed", font=font, fill="black")
        page.save(folder / name)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_the_commands_of_a_page_work(page, folder):
    make_files(folder)
    environment = {"PATH": f"{PROGRAM.parent}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8",
                   "AWS_PAGER": "", "PYTHONUNBUFFERED": "1", "AWS_MAX_ATTEMPTS": "2"}
    shell = Shell(folder, environment)
    try:
        todo = [command for block in blocks(page.read_text()) if not block.not_run for command in block.commands]
        if not any(command.text.startswith("stoker up") for command in todo[:2]):
            shell.start_server(PREPARED[0])
            shell.run_text(PREPARED[1])
        for command in todo:
            shell.run(command)
    except Failed as failure:
        pytest.fail(f"{page.name}: {failure}", pytrace=False)
    finally:
        shell.close()
