// Allocations: memory of the device, pinned memory of the host, and managed memory, which moves
// between both: the driver takes it off a device that is full, so it counts for none.
#include "calls.h"
#include <string.h>

API cudaError_t cudaMemGetInfo(size_t *left, size_t *total) {
  int device;
  cudaError_t error = ready_on(&device);
  if (error) return done(error);
  *total = settings.memory;
  *left = settings.memory - used_bytes(device);
  return cudaSuccess;
}

API cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  int device;
  cudaError_t error = ready_on(&device);
  if (!error) error = may_wait();
  if (!error) error = fault(MALLOC);
  if (!error) error = allocate(pointer, bytes, device, DEVICE);
  trace("stand-in: cudaMalloc of %zu bytes on device %d: %s", bytes, device, cudaGetErrorName(error));
  return done(error);
}

static _Atomic size_t managed;

// How many bytes of managed memory this process has asked for.
API size_t stand_in_managed(void) { return managed; }

API cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  int device;
  cudaError_t error = ready_on(&device);
  (void)flags;
  if (!error) error = may_wait();
  if (!error) error = allocate(pointer, bytes, device, MANAGED);
  if (!error) managed += bytes;
  return done(error);
}

// Both sides have the same bytes, so there is nothing to move.
API cudaError_t cudaMemPrefetchAsync(const void *from, size_t bytes, struct cudaMemLocation to,
                                     unsigned flags, cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct block block;
  (void)bytes, (void)to, (void)flags;
  if (!error && !(find_block(from, &block) && block.kind == MANAGED)) error = cudaErrorInvalidValue;
  return done(error);
}

API cudaError_t cudaFree(void *pointer) {
  int device;
  cudaError_t error = ready_on(&device);
  if (!error && pointer) error = may_wait();
  if (!error && pointer) settle_device(device);
  if (!error) error = release(pointer, 1u << DEVICE | 1u << MANAGED);
  trace("stand-in: cudaFree of %p: %s", pointer, cudaGetErrorName(error));
  return done(error);
}

API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  int device;
  cudaError_t error = ready_on(&device);
  (void)flags;
  if (!error) error = may_wait();
  return done(error ? error : allocate(pointer, bytes, device, PINNED));
}

API cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

API cudaError_t cudaFreeHost(void *pointer) {
  int device;
  cudaError_t error = ready_on(&device);
  if (!error) error = may_wait();
  return done(error ? error : release(pointer, 1u << PINNED));
}

API cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  int device;
  cudaError_t error = ready_on(&device);
  (void)flags;
  if (error) return done(error);
  if (pointer == NULL || bytes == 0) return done(cudaErrorInvalidValue);
  struct block block = {pointer, bytes, 0, device, REGISTERED};
  return done(add_block(block) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

API cudaError_t cudaHostUnregister(void *pointer) {
  int device;
  cudaError_t error = ready_on(&device);
  struct block block;
  if (!error && !remove_block(pointer, 1u << REGISTERED, &block))
    error = cudaErrorHostMemoryNotRegistered;
  return done(error);
}

API cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host, unsigned flags) {
  struct block block;
  (void)flags;
  bool pinned = find_block(host, &block) && (block.kind == PINNED || block.kind == REGISTERED);
  *device_pointer = pinned ? host : NULL;
  return done(pinned ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  cudaError_t error = ready();
  if (error) return done(error);
  struct block block;
  memset(attributes, 0, sizeof *attributes);
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = cudaInvalidDeviceId;
  attributes->hostPointer = (void *)pointer;
  if (find_block(pointer, &block) && block.kind != RESERVED) {
    bool host = block.kind == PINNED || block.kind == REGISTERED;
    attributes->type = host                     ? cudaMemoryTypeHost
                       : block.kind == MANAGED ? cudaMemoryTypeManaged
                                               : cudaMemoryTypeDevice;
    attributes->device = block.device;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = host || block.kind == MANAGED ? (void *)pointer : NULL;
  }
  return cudaSuccess;
}
