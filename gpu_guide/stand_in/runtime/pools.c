// Memory pools: cudaMallocAsync and what PyTorch asks of the pool behind it.
//
// A pool takes whole pages from its device and keeps as many as its release threshold says when
// memory is freed. It has no gaps: how the driver lays out a pool is not documented.
#include "calls.h"
#include <string.h>

struct pool {
  unsigned long long used, used_high, reserved, reserved_high, threshold;
};
static struct pool pools[MAX_DEVICES];  // the default pool of each device
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int device_of(cudaMemPool_t pool) {
  ptrdiff_t device = (struct pool *)pool - pools;
  return 0 <= device && device < visible_count ? (int)device : -1;
}

// Called with the lock held.
static void keep(int device, unsigned long long bytes) {
  struct pool *pool = &pools[device];
  unsigned long long least = in_pages(pool->used);
  if (bytes >= pool->reserved) return;
  unsigned long long wanted = bytes > least ? in_pages(bytes) : least;
  give(device, pool->reserved - wanted);
  pool->reserved = wanted;
}

API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  cudaError_t error = ready();
  if (!error && !exists(device)) error = cudaErrorInvalidDevice;
  if (!error) *pool = (cudaMemPool_t)&pools[device];
  return done(error);
}

API cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct stream *one = stream_of(stream);
  if (!error && one && one->capture) {
    say("stand-in: cudaMallocAsync in a graph is a call that the stand-in GPU does not answer");
    error = cudaErrorNotSupported;
  }
  if (!error) error = fault(MALLOC);
  if (error) return done(error);
  pthread_mutex_lock(&lock);
  struct pool *pool = &pools[device];
  size_t size = (bytes + 511) / 512 * 512;
  size_t wanted = in_pages(pool->used + size);
  size_t more = wanted > pool->reserved ? wanted - pool->reserved : 0;
  if (!take(device, more)) error = cudaErrorMemoryAllocation;
  if (!error && (error = allocate(pointer, size, device, POOLED))) give(device, more);
  if (!error) {
    pool->used += size;
    pool->reserved += more;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
  }
  pthread_mutex_unlock(&lock);
  return done(error);
}

API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  int device;
  struct block block;
  cudaError_t error = ready_with(stream, &device);
  if (error || pointer == NULL) return done(error);
  if (!find_block(pointer, &block) || block.start != pointer) return done(cudaErrorInvalidValue);
  if (block.kind == DEVICE) return cudaFree(pointer);
  pthread_mutex_lock(&lock);
  if (!(error = release(pointer, 1u << POOLED))) {
    pools[block.device].used -= block.size;
    keep(block.device, pools[block.device].threshold);
  }
  pthread_mutex_unlock(&lock);
  return done(error);
}

API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  int device = device_of(pool);
  if (device < 0) return done(cudaErrorInvalidValue);
  pthread_mutex_lock(&lock);
  keep(device, bytes);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

static unsigned long long *figure(struct pool *pool, enum cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: return &pool->threshold;
    case cudaMemPoolAttrReservedMemCurrent: return &pool->reserved;
    case cudaMemPoolAttrReservedMemHigh: return &pool->reserved_high;
    case cudaMemPoolAttrUsedMemCurrent: return &pool->used;
    case cudaMemPoolAttrUsedMemHigh: return &pool->used_high;
    default: return NULL;  // how freed memory may be used again, of which nothing is seen here
  }
}

API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  int device = device_of(pool);
  if (device < 0) return done(cudaErrorInvalidValue);
  unsigned long long *one = figure(&pools[device], attribute);
  if (one) *(unsigned long long *)value = *one;
  else *(int *)value = 1;
  return cudaSuccess;
}

API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  int device = device_of(pool);
  if (device < 0) return done(cudaErrorInvalidValue);
  struct pool *one = &pools[device];
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: one->threshold = *(unsigned long long *)value; break;
    case cudaMemPoolAttrReservedMemHigh: one->reserved_high = one->reserved; break;
    case cudaMemPoolAttrUsedMemHigh: one->used_high = one->used; break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return done(cudaErrorInvalidValue);
    default: break;
  }
  return cudaSuccess;
}

API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                     size_t count) {
  (void)access, (void)count;  // the host does all the work, so every device may use every pool
  return done(device_of(pool) < 0 ? cudaErrorInvalidValue : cudaSuccess);
}
