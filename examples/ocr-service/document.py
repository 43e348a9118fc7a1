# SPDX-License-Identifier: Apache-2.0
"""usage: document.py FILE TEXT   Draws the text as a PNG."""
import sys

from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

font = ImageFont.truetype(FONT, 40)
page = Image.new("L", (1000, 140), "white")
ImageDraw.Draw(page).text((40, 40), sys.argv[2], font=font, fill="black")
page.save(sys.argv[1])
