// Memory: what each device has left, and which addresses belong to whom.
#include "machine.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t used[MAX_DEVICES];
static struct block *blocks;  // in the order of their addresses
static size_t count, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

size_t in_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

bool take(int device, size_t bytes) {
  pthread_mutex_lock(&lock);
  bool fits = bytes <= settings.memory - used[device];
  if (fits) used[device] += bytes;
  pthread_mutex_unlock(&lock);
  return fits;
}

void give(int device, size_t bytes) {
  pthread_mutex_lock(&lock);
  used[device] -= bytes;
  pthread_mutex_unlock(&lock);
}

size_t used_bytes(int device) {
  pthread_mutex_lock(&lock);
  size_t bytes = used[device];
  pthread_mutex_unlock(&lock);
  return bytes;
}

// Addresses that begin at a page of the device; host memory is only taken where it is written.
void *reserve(size_t bytes, int protection) {
  size_t whole = in_pages(bytes);
  int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char *start = mmap(NULL, whole + PAGE, protection, how, -1, 0);
  if (start == MAP_FAILED) return NULL;
  char *aligned = (char *)(((uintptr_t)start + PAGE - 1) / PAGE * PAGE);
  if (aligned > start) munmap(start, aligned - start);
  munmap(aligned + whole, start + PAGE - aligned);
  return aligned;
}

// The place of the first block that ends behind `pointer`.
static size_t place(const char *pointer) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (blocks[middle].start + blocks[middle].size <= pointer) low = middle + 1;
    else high = middle;
  }
  return low;
}

bool find_block(const void *pointer, struct block *found) {
  pthread_mutex_lock(&lock);
  size_t at = place(pointer);
  bool there = at < count && blocks[at].start <= (const char *)pointer;
  if (there) *found = blocks[at];
  pthread_mutex_unlock(&lock);
  return there;
}

bool add_block(struct block block) {
  pthread_mutex_lock(&lock);
  if (count == room) {
    size_t more = room ? 2 * room : 256;
    struct block *grown = realloc(blocks, more * sizeof *blocks);
    if (grown == NULL) {
      pthread_mutex_unlock(&lock);
      return false;
    }
    blocks = grown;
    room = more;
  }
  size_t at = place(block.start);
  bool free_there = at == count || block.start + block.size <= blocks[at].start;
  if (free_there) {
    memmove(blocks + at + 1, blocks + at, (count - at) * sizeof *blocks);
    blocks[at] = block;
    count++;
  }
  pthread_mutex_unlock(&lock);
  return free_there;
}

// Removes the block that begins at `start` if its kind is one of `kinds`, a bit each.
bool remove_block(const void *start, unsigned kinds, struct block *removed) {
  pthread_mutex_lock(&lock);
  size_t at = place(start);
  bool there = at < count && blocks[at].start == start && (kinds >> blocks[at].kind & 1);
  if (there) {
    *removed = blocks[at];
    memmove(blocks + at, blocks + at + 1, (--count - at) * sizeof *blocks);
  }
  pthread_mutex_unlock(&lock);
  return there;
}

cudaError_t allocate(void **pointer, size_t bytes, int device, enum kind kind) {
  *pointer = NULL;
  if (bytes == 0) return cudaSuccess;
  // A pool counts for itself.
  bool counted = kind == DEVICE;
  size_t taken = counted ? in_pages(bytes) : 0;
  if (bytes > SIZE_MAX - 2 * PAGE) return cudaErrorMemoryAllocation;
  if (counted && !take(device, taken)) return cudaErrorMemoryAllocation;
  char *start = reserve(bytes, PROT_READ | PROT_WRITE);
  struct block block = {start, bytes, taken, device, kind};
  if (start == NULL || !add_block(block)) {
    if (start) munmap(start, in_pages(bytes));
    if (counted) give(device, taken);
    return cudaErrorMemoryAllocation;
  }
  *pointer = start;
  return cudaSuccess;
}

cudaError_t release(void *pointer, unsigned kinds) {
  if (pointer == NULL) return cudaSuccess;
  struct block block;
  if (!remove_block(pointer, kinds, &block)) return cudaErrorInvalidValue;
  munmap(block.start, in_pages(block.size));
  if (block.taken) give(block.device, block.taken);
  return cudaSuccess;
}
