// The machine: its devices and their memory.
#pragma once
#include "errors.h"

// memory.c: what is allocated where. `kind` tells what may free it.
enum kind { DEVICE, PINNED, REGISTERED, RESERVED, POOLED, MANAGED };
struct block {
  char *start;
  size_t size, taken;  // bytes asked for; bytes of device memory that it takes
  int device;
  enum kind kind;
};
size_t used_bytes(int device);
bool take(int device, size_t bytes);  // false where the device has not that much left
void give(int device, size_t bytes);
bool find_block(const void *pointer, struct block *found);
bool add_block(struct block block);
bool remove_block(const void *start, unsigned kinds, struct block *removed);
void *reserve(size_t bytes, int protection);
size_t in_pages(size_t bytes);
cudaError_t allocate(void **pointer, size_t bytes, int device, enum kind kind);
cudaError_t release(void *pointer, unsigned kinds);

// devices.c
bool exists(int device);
cudaError_t current_device(int *device);
bool has_context(int device);
cudaError_t ready_on(int *device);  // like ready(), with a context on the thread's device
