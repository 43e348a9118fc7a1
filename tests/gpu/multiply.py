# SPDX-License-Identifier: Apache-2.0
"""Multiplies matrices on its GPU for some seconds and prints its speed."""
import os
import sys
import time

import torch

seconds, size = float(sys.argv[1]), int(sys.argv[2])
wanted_gib = float(sys.argv[3]) if len(sys.argv) > 3 else 0
print("CUDA_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"), flush=True)
print("MPS", {k: v for k, v in os.environ.items() if k.startswith("CUDA_MPS")}, flush=True)
print("devices", torch.cuda.device_count(), torch.cuda.get_device_name(0), flush=True)
free, total = torch.cuda.mem_get_info()
print(f"memory free {free >> 20} MiB of {total >> 20} MiB", flush=True)
a = torch.randn(size, size, device="cuda", dtype=torch.float16)
count, began = 0, time.time()
while time.time() - began < seconds:
    for _ in range(20):
        a = (a @ a) / size
    torch.cuda.synchronize()
    count += 20
took = time.time() - began
print(f"{2 * size**3 * count / took / 1e12:.1f} TFLOPS", flush=True)
if wanted_gib:
    try:
        torch.empty(int(wanted_gib * (1 << 30)), dtype=torch.uint8, device="cuda")
        print(f"{wanted_gib} GiB: given", flush=True)
    except torch.OutOfMemoryError:
        print(f"{wanted_gib} GiB: refused", flush=True)
