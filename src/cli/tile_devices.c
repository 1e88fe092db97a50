/* Devices whose tile sizes can be planned without having them. */
#include "cli/tile_model.h"

enum { KB = 1024 };

/* NVIDIA: "CUDA C++ Programming Guide", table of technical specifications by compute capability
 * (8.0: 164 KB a multiprocessor and 163 a block; 9.0: 228 and 227; 2048 threads, 32 blocks and
 * 65536 registers a multiprocessor), and the Ampere and Hopper tuning guides (1 KB of each block's
 * share is the system's); numbers of multiprocessors from the A100, H100 SXM5 and H200 data sheets.
 * AMD: ROCm documentation, "Accelerator and GPU hardware specifications" (64 KiB of LDS and 512 KiB
 * of vector registers a CU; MI250X: 110 CUs in each of its two dies, which are two devices; MI300X:
 * 304), and "Pipeline descriptions" of its profiler (32 wavefronts of 64 a CU).
 * Intel: "oneAPI GPU Optimization Guide", Xe-HPC (128 KB of SLM and 8 vector engines a Xe-core, 8
 * threads of 32 lanes and 64 KB of registers an engine; Max 1550: 128 Xe-cores). */
const cw_tile_device cw_tile_devices[CW_TILE_DEVICES] = {
    {"A100", 108, 164 * KB, 163 * KB, 1 * KB, 2048, 32, 65536},
    {"H100", 132, 228 * KB, 227 * KB, 1 * KB, 2048, 32, 65536},
    {"H200", 132, 228 * KB, 227 * KB, 1 * KB, 2048, 32, 65536},
    {"MI250X", 110, 64 * KB, 64 * KB, 0, 2048, 32, 131072},
    {"MI300X", 304, 64 * KB, 64 * KB, 0, 2048, 32, 131072},
    {"Max1550", 128, 128 * KB, 128 * KB, 0, 2048, 32, 131072},
};
