// CUDA's virtual memory: addresses, memory, and the mapping of one to the other.
//
// All memory is parts of one file that has no name, so that a handle may be mapped, unmapped and
// mapped elsewhere and keeps its bytes. What is not mapped cannot be read or written, here too.
#include "calls.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory {
  uint64_t mark;
  off_t offset;
  size_t size;
  int device, users;  // the handle itself and each mapping are users
  CUmemAllocationProp properties;
};
struct mapping { char *start; size_t size; struct memory *memory; struct mapping *next; };
static const uint64_t MARK = 0x5354414e44494e31;
static struct mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static off_t end;

static struct memory *memory_of(CUmemGenericAllocationHandle handle) {
  struct memory *memory = (struct memory *)(uintptr_t)handle;
  return memory && memory->mark == MARK ? memory : NULL;
}

static CUresult ready_driver(void) {
  int device;
  return driver_result(ready_on(&device));
}

// Called with the lock held.
static void drop_user(struct memory *memory) {
  if (--memory->users) return;
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, memory->offset, memory->size);
  give(memory->device, memory->size);
  memory->mark = 0;
  free(memory);
}

API CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                           CUmemAllocationGranularity_flags option) {
  (void)option;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  *bytes = PAGE;
  return CUDA_SUCCESS;
}

API CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
                                 CUdeviceptr wanted, unsigned long long flags) {
  CUresult error = ready_driver();
  (void)wanted;  // only a hint
  if (error) return error;
  if (size == 0 || size % PAGE || flags || alignment > PAGE) return CUDA_ERROR_INVALID_VALUE;
  char *start = reserve(size, PROT_NONE);
  struct block block = {start, size, 0, 0, RESERVED};
  current_device(&block.device);
  if (start == NULL || !add_block(block)) {
    if (start) munmap(start, size);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *address = (CUdeviceptr)(uintptr_t)start;
  trace("stand-in: cuMemAddressReserve of %zu bytes: %p", size, start);
  return CUDA_SUCCESS;
}

API CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  char *start = (char *)(uintptr_t)address;
  struct block block;
  pthread_mutex_lock(&lock);
  bool in_use = false;
  for (struct mapping *one = mappings; one; one = one->next)
    in_use = in_use || (one->start < start + size && start < one->start + one->size);
  bool whole = !in_use && find_block(start, &block) && block.start == start && block.size == size;
  CUresult error = whole && remove_block(start, 1u << RESERVED, &block) ? CUDA_SUCCESS
                                                                        : CUDA_ERROR_INVALID_VALUE;
  if (!error) munmap(start, size);
  pthread_mutex_unlock(&lock);
  return error;
}

API CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                         const CUmemAllocationProp *properties, unsigned long long flags) {
  CUresult error = ready_driver();
  int device = properties->location.id;
  if (error) return error;
  if (size == 0 || size % PAGE || flags || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_NOT_SUPPORTED;
  if ((error = driver_result(fault(MALLOC)))) return error;
  struct memory *memory = malloc(sizeof *memory);
  if (memory == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!take(device, size)) {
    free(memory);
    trace("stand-in: cuMemCreate of %zu bytes on device %d: out of memory", size, device);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  pthread_mutex_lock(&lock);
  if (file < 0) file = memfd_create("stand-in GPU", MFD_CLOEXEC);
  *memory = (struct memory){MARK, end, size, device, 1, *properties};
  bool there = file >= 0 && ftruncate(file, end + size) == 0;
  if (there) end += size;
  pthread_mutex_unlock(&lock);
  if (!there) {
    give(device, size);
    free(memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)memory;
  trace("stand-in: cuMemCreate of %zu bytes on device %d", size, device);
  return CUDA_SUCCESS;
}

API CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  pthread_mutex_lock(&lock);
  struct memory *memory = memory_of(handle);
  if (memory) drop_user(memory);
  pthread_mutex_unlock(&lock);
  return memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                      CUmemGenericAllocationHandle handle, unsigned long long flags) {
  CUresult error = ready_driver();
  char *start = (char *)(uintptr_t)address;
  struct block block;
  if (error) return error;
  bool reserved = find_block(start, &block) && block.kind == RESERVED &&
                  start + size <= block.start + block.size;
  struct mapping *new = malloc(sizeof *new);
  pthread_mutex_lock(&lock);
  struct memory *memory = memory_of(handle);
  bool ok = new && reserved && memory && offset == 0 && size == memory->size && flags == 0;
  for (struct mapping *one = mappings; ok && one; one = one->next)
    ok = start + size <= one->start || one->start + one->size <= start;
  ok = ok && mmap(start, size, PROT_NONE, MAP_SHARED | MAP_FIXED, file, memory->offset) == start;
  if (ok) {
    *new = (struct mapping){start, size, memory, mappings};
    mappings = new;
    memory->users++;
  } else {
    free(new);
  }
  pthread_mutex_unlock(&lock);
  return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  char *start = (char *)(uintptr_t)address, *after = start + size;
  size_t left = size;
  pthread_mutex_lock(&lock);
  for (struct mapping *one = mappings; one; one = one->next)
    if (start <= one->start && one->start + one->size <= after) left -= one->size;
  if (size == 0 || left) {
    pthread_mutex_unlock(&lock);
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (struct mapping **link = &mappings; *link;) {
    struct mapping *one = *link;
    if (one->start < start || after <= one->start) {
      link = &one->next;
      continue;
    }
    *link = one->next;
    drop_user(one->memory);
    free(one);
  }
  int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  mmap(start, size, PROT_NONE, how, -1, 0);
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

API CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access,
                            size_t count) {
  int protection = PROT_NONE;
  for (size_t i = 0; i < count; i++) {
    int device = access[i].location.id;
    if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    // Which device may use it is not told apart: the host does all the work.
    if (access[i].flags & CU_MEM_ACCESS_FLAGS_PROT_READ) protection |= PROT_READ;
    if (access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) protection |= PROT_READ | PROT_WRITE;
  }
  char *start = (char *)(uintptr_t)address;
  size_t left = size;
  pthread_mutex_lock(&lock);
  for (struct mapping *one = mappings; one; one = one->next)
    if (start <= one->start && one->start + one->size <= start + size) left -= one->size;
  bool ok = size && !left && mprotect(start, size, protection) == 0;
  pthread_mutex_unlock(&lock);
  return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  struct memory *memory = NULL;
  pthread_mutex_lock(&lock);
  for (struct mapping *one = mappings; one; one = one->next)
    if (one->start <= (char *)address && (char *)address < one->start + one->size) memory = one->memory;
  if (memory) memory->users++;
  pthread_mutex_unlock(&lock);
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)memory;
  return memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                    CUmemGenericAllocationHandle handle) {
  struct memory *memory = memory_of(handle);
  if (memory) *properties = memory->properties;
  return memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
