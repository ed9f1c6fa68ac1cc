// The driver: what PyTorch asks of libcuda.so.1, by name or through the runtime.
#include "calls.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

API CUresult cuInit(unsigned flags) {
  (void)flags;
  return driver_result(ready());
}

API CUresult cuDriverGetVersion(int *version) {
  *version = settings.driver;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetCount(int *count) {
  cudaError_t error = ready();
  *count = visible_count;
  return driver_result(error);
}

API CUresult cuDeviceGet(CUdevice *device, int number) {
  if (!exists(number)) return CUDA_ERROR_INVALID_DEVICE;
  *device = number;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  (void)device;
  snprintf(name, length, "%s", settings.name);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  fill_uuid(physical(device), (unsigned char *)uuid->bytes);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  // The driver's attributes have the runtime's numbers, and more of them.
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      return driver_result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
  }
}

// A context has no more to it than its device's number.
static CUcontext context_of(int device) { return (CUcontext)(uintptr_t)(device + 1); }

API CUresult cuCtxGetCurrent(CUcontext *context) {
  int device;
  current_device(&device);
  *context = visible_count && has_context(device) ? context_of(device) : NULL;
  return driver_result(ready());
}

API CUresult cuCtxSetCurrent(CUcontext context) {
  uintptr_t number = (uintptr_t)context;
  if (number == 0 || number > (uintptr_t)visible_count) return CUDA_ERROR_INVALID_CONTEXT;
  return driver_result(cudaSetDevice(number - 1));
}

API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = 0;
  *active = has_context(device);
  return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  int before;
  current_device(&before);
  cudaError_t error = cudaSetDevice(device);
  if (error) return driver_result(error);
  *context = context_of(device);
  return driver_result(cudaSetDevice(before));
}

API CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *size, CUdeviceptr address) {
  struct block block;
  if (!find_block((void *)(uintptr_t)address, &block)) return CUDA_ERROR_NOT_FOUND;
  if (start) *start = (CUdeviceptr)(uintptr_t)block.start;
  if (size) *size = block.size;
  return CUDA_SUCCESS;
}

// What a kernel that is launched by name checks of its arguments: where they lie, no more.
API CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  struct block block;
  bool found = find_block((void *)address, &block);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      if (!found) return CUDA_ERROR_INVALID_VALUE;
      *(CUdeviceptr *)value = address;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      if (!found) return CUDA_ERROR_INVALID_VALUE;
      *(int *)value = block.device;
      return CUDA_SUCCESS;
    default:
      say("stand-in: cuPointerGetAttribute: attribute %d is unknown to the stand-in GPU", attribute);
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

API CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream) {
  (void)stream;
  for (size_t i = 0; i < count; i++) memcpy((char *)(uintptr_t)address + 4 * i, &value, 4);
  return CUDA_SUCCESS;
}

// The driver's log of errors stays empty: whatever is refused here is said on stderr.
API CUresult cuLogsRegisterCallback(CUlogsCallback function, void *data,
                                    CUlogsCallbackHandle *handle) {
  (void)function, (void)data;
  if (handle) *handle = NULL;
  return CUDA_SUCCESS;
}

API CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  (void)handle;
  return CUDA_SUCCESS;
}

// What the driver hands out under a plain name is the newest version that a program may ask for.
static void *entry(const char *name) {
  static void *self;
  char versioned[128];
  if (self == NULL) self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (self == NULL) self = dlopen("libcuda.so.1", RTLD_LAZY);
  if (self == NULL) return NULL;
  snprintf(versioned, sizeof versioned, "%s_v2", name);
  void *function = dlsym(self, versioned);
  return function ? function : dlsym(self, name);
}

API cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                 unsigned long long flags,
                                                 enum cudaDriverEntryPointQueryResult *found) {
  (void)version, (void)flags;
  *function = entry(name);
  if (*function == NULL) say("stand-in: the driver's %s is a call that the stand-in has not", name);
  if (found)
    *found = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// A tensor map says how a kernel reads a tensor, and no kernel reads.
API CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                    void *address, const cuuint64_t *sizes,
                                    const cuuint64_t *strides, const cuuint32_t *box,
                                    const cuuint32_t *element_strides,
                                    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  (void)type, (void)rank, (void)address, (void)sizes, (void)strides, (void)box;
  (void)element_strides, (void)interleave, (void)swizzle, (void)promotion, (void)fill;
  memset(map, 0, sizeof *map);
  return CUDA_SUCCESS;
}
