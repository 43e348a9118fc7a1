# SPDX-License-Identifier: Apache-2.0
"""A classifier of one linear layer, in the place of ResNet: it needs no download, and its answers are known.

With torch the layer runs on the GPU that the task holds. For a real model, replace `load`:

    model = torchvision.models.resnet50(weights="DEFAULT").cuda().eval()
"""
import math

LABELS = ["plain", "horizontal", "vertical", "checks"]
# Rows: labels. Columns: change from left to right, change from top to bottom, bias.
WEIGHTS = [[-60.0, -60.0, 4.0], [-60.0, 60.0, 0.0], [60.0, -60.0, 0.0], [60.0, 60.0, -4.0]]


def features(image):
    """The mean difference of neighbouring pixels, in both directions, of a small grey copy."""
    size = 64
    pixels = list(image.convert("L").resize((size, size)).getdata())
    pairs = size * (size - 1) * 255
    across = sum(abs(pixels[y * size + x] - pixels[y * size + x - 1]) for y in range(size) for x in range(1, size))
    down = sum(abs(pixels[y * size + x] - pixels[(y - 1) * size + x]) for y in range(1, size) for x in range(size))
    return [across / pairs, down / pairs, 1.0]


def load():
    """The layer: a function from features to a score for each label."""
    try:
        import torch
    except ImportError:
        return lambda values: [sum(w * v for w, v in zip(row, values)) for row in WEIGHTS]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    weights = torch.tensor(WEIGHTS, device=device)
    return lambda values: (weights @ torch.tensor(values, device=device)).tolist()


def classify(layer, image):
    scores = [math.exp(score) for score in layer(features(image))]
    best = max(range(len(LABELS)), key=lambda index: scores[index])
    return {"label": LABELS[best], "confidence": round(scores[best] / sum(scores), 4)}
