# SPDX-License-Identifier: Apache-2.0
"""usage: images.py FOLDER COUNT   Draws images of four kinds; the name of each begins with its kind."""
import pathlib
import random
import sys

from PIL import Image

KINDS = {
    "plain": lambda x, y: 0,
    "horizontal": lambda x, y: y // 8 % 2,
    "vertical": lambda x, y: x // 8 % 2,
    "checks": lambda x, y: (x // 8 + y // 8) % 2,
}
SIZE = 128


def draw(kind, seed):
    dice = random.Random(seed)
    dark = [dice.randrange(0, 90) for _ in range(3)]
    bright = [dice.randrange(170, 250) for _ in range(3)]
    image = Image.new("RGB", (SIZE, SIZE))
    image.putdata([tuple((bright if KINDS[kind](x, y) else dark)[c] + dice.randrange(6) for c in range(3))
                   for y in range(SIZE) for x in range(SIZE)])
    return image


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(int(sys.argv[2])):
        kind = list(KINDS)[number % len(KINDS)]
        draw(kind, number).save(folder / f"{kind}-{number:02}.png")


main()
