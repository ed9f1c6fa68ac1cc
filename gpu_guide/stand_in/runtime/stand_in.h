// A stand-in for the CUDA runtime and driver: what all its files share. README.md has the layers.
//
// Device memory is host memory that is reserved, counted and refused beyond the card's size. Copies
// are done, kernels are registered and never run. A call that is not here says its name and fails.
#pragma once
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define MAX_DEVICES 16
#define MIB ((size_t)1 << 20)
#define PAGE (2 * MIB)  // what CUDA maps at least: cuMemGetAllocationGranularity says so
