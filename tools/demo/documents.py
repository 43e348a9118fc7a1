#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Renders the documents of the demo, in several fonts, sizes and formats, and writes down their texts.

usage: documents.py FOLDER   writes FOLDER/*.png, *.jpg, *.tif, *.pdf and FOLDER/texts.json: {name: [text of each page]}
"""
import json
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

FONTS = {
    "sans": "dejavu/DejaVuSans.ttf",
    "serif": "dejavu/DejaVuSerif.ttf",
    "mono": "dejavu/DejaVuSansMono.ttf",
    "arial": "liberation/LiberationSans-Regular.ttf",
    "times": "liberation/LiberationSerif-Regular.ttf",
    "bold": "liberation/LiberationSans-Bold.ttf",
}
SIZES = [22, 28, 36, 44]  # pixels
FORMATS = ["png", "jpg", "tif", "png"]  # of the sizes
SENTENCES = [
    "The boiler needs more coal before noon.",
    "Pressure rises slowly and stays there.",
    "Every shovel counts on a long journey.",
    "Water first, then fire, then steam.",
    "The engine waits for nobody at night.",
    "Keep the grate clean and the door shut.",
    "A good stoker reads the smoke.",
    "White smoke means water in the pipes.",
    "The night train carries mail and bread.",
    "Open the damper when the wind turns.",
    "Seven wagons follow the engine home.",
]
LINES_OF_A_PAGE = 5
PAGES_OF_THE_PDF = 3


def page_text(number):
    lines = [SENTENCES[(number * 3 + line) % len(SENTENCES)] for line in range(LINES_OF_A_PAGE)]
    return [f"Report number {100 + number}", *lines]


def page_image(lines, font, size):
    face = ImageFont.truetype(f"/usr/share/fonts/truetype/{FONTS[font]}", size)
    margin, step = 2 * size, int(size * 1.6)
    width = int(max(face.getlength(line) for line in lines)) + 2 * margin
    image = Image.new("RGB", (width, 2 * margin + step * len(lines)), "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((margin, margin + number * step), line, font=face, fill="black")
    return image


def render(folder):
    texts = {}
    for font in FONTS:
        for size, suffix in zip(SIZES, FORMATS):
            lines = page_text(len(texts))
            name = f"{font}-{size}.{suffix}"
            page_image(lines, font, size).save(folder / name, quality=90)
            texts[name] = [" ".join(lines)]
    numbers = range(len(texts), len(texts) + PAGES_OF_THE_PDF)
    pages = [page_image(page_text(number), font, 60) for number, font in zip(numbers, FONTS)]
    pages[0].save(folder / "reports.pdf", save_all=True, append_images=pages[1:], resolution=200)
    texts["reports.pdf"] = [" ".join(page_text(number)) for number in numbers]
    (folder / "texts.json").write_text(json.dumps(texts, indent=1))
    return texts


def main():
    folder = pathlib.Path(sys.argv[1])
    texts = render(folder)
    pages = sum(map(len, texts.values()))
    print(f"{len(texts)} files with {pages} pages: {len(FONTS)} fonts in {len(SIZES)} sizes as PNG, JPEG and TIFF, and a PDF")


if __name__ == "__main__":
    main()
