#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 for `stoker work --serve`: a batch of images goes through the GPU at once.

    stoker work --queue images --serve 'python3 torch_resnet.py' --batch 64 --linger 20ms

Weights are random unless RESNET_WEIGHTS names a file with a state_dict. A line of an item says how many lines its batch
has; the next batch is already in stdin while this one is computed.
"""
import json
import os
import queue
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

try:
    import torch
    import torchvision
    from PIL import Image
except ImportError as error:
    sys.exit(f"torch_resnet.py needs torch, torchvision and Pillow in its image: {error}")

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TYPE = torch.float16 if DEVICE == "cuda" else torch.float32
MEAN = 255 * torch.tensor([0.485, 0.456, 0.406], device=DEVICE).view(3, 1, 1)
DEVIATION = 255 * torch.tensor([0.229, 0.224, 0.225], device=DEVICE).view(3, 1, 1)
TOP = 5


def load_model():
    model = torchvision.models.resnet50(weights=None)
    if os.environ.get("RESNET_WEIGHTS"):
        model.load_state_dict(torch.load(os.environ["RESNET_WEIGHTS"], map_location="cpu"))
    return model.eval().to(DEVICE, TYPE, memory_format=torch.channels_last)


def load_image(path):
    """The bytes of an image as a tensor, or the exception that says why there is none. The GPU does the arithmetic: on the
    processor it would take more time than decoding."""
    try:
        with Image.open(path) as image:
            image = image.convert("RGB").resize((224, 224))
            pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
        return pixels.view(224, 224, 3)
    except Exception as error:
        return error


def read_batches(lines):
    batch = []
    for line in lines:
        item = json.loads(line)
        batch.append(item)
        if len(batch) == item["batch"]["size"]:
            yield batch
            batch = []


def classify(model, tensors):
    with torch.inference_mode():
        images = (torch.stack(tensors).to(DEVICE).permute(0, 3, 1, 2) - MEAN) / DEVIATION
        scores = model(images.to(TYPE, memory_format=torch.channels_last)).float().softmax(dim=1).topk(TOP)
    return [[{"class": index, "score": round(score, 6)} for score, index in zip(values, indices)]
            for values, indices in zip(scores.values.tolist(), scores.indices.tolist())]


def load_ahead(batches):
    """Each batch with its tensors. The images of the next batch are decoded while the caller computes this one."""
    ready = queue.Queue(maxsize=1)

    def load():
        try:
            with ThreadPoolExecutor() as pool:
                for batch in batches:
                    ready.put((batch, [pool.submit(load_image, item["input"]) for item in batch]))
        finally:
            ready.put(None)

    threading.Thread(target=load, daemon=True).start()
    for batch, loading in iter(ready.get, None):
        yield batch, [tensor.result() for tensor in loading]


def answer_batch(model, batch, loaded):
    good = [tensor for tensor in loaded if isinstance(tensor, torch.Tensor)]
    results = iter(classify(model, good) if good else [])
    for item, tensor in zip(batch, loaded):
        if isinstance(tensor, torch.Tensor):
            answer = {"id": item["id"], "result": {"top": next(results)}}
        else:
            answer = {"id": item["id"], "error": {"type": type(tensor).__name__, "message": str(tensor)}}
        yield json.dumps(answer) + "\n"


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # prints of libraries go to the log: stdout is for answers
    model = load_model()
    for batch, loaded in load_ahead(read_batches(sys.stdin)):
        answers.writelines(answer_batch(model, batch, loaded))
        answers.flush()


if __name__ == "__main__":
    main()
