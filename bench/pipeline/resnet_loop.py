#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions of examples/serve/torch_resnet.py in a plain loop over files, without a worker.

usage: resnet_loop.py FOLDER BATCH SECONDS

Prints a line of JSON: the time of the first measured batch, of each later one, and the images of a batch."""
import itertools
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch_resnet  # noqa: E402  (a copy beside this file)

WARM_UP_BATCHES = 20


def main():
    folder, size, seconds = pathlib.Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    paths = itertools.cycle(sorted(str(path) for path in folder.iterdir()))
    batches = ([{"id": str(number), "input": next(paths)} for number in range(size)] for _ in itertools.count())
    model, times = torch_resnet.load_model(), []
    with open("/dev/null", "w", encoding="utf-8") as answers:
        for number, (batch, loaded) in enumerate(torch_resnet.load_ahead(batches)):
            answers.writelines(torch_resnet.answer_batch(model, batch, loaded))
            if number >= WARM_UP_BATCHES:
                times.append(time.time())
            if times and times[-1] - times[0] >= seconds:
                break
    print(json.dumps({"batch": size, "times": times}), flush=True)
    os._exit(0)  # the thread that decodes ahead has no end


if __name__ == "__main__":
    main()
