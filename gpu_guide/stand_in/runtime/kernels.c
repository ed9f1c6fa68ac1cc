// Kernels: registered when a library is loaded, launched, and never run.
#include "architectures.h"
#include "calls.h"
#include <stdlib.h>
#include <string.h>

API void **__cudaRegisterFatBinary(void *binary) {
  (void)binary;
  return calloc(1, sizeof(void *));
}

API void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

API void __cudaUnregisterFatBinary(void **handle) { free(handle); }

API char __cudaInitModule(void **handle) {
  (void)handle;
  return 1;
}

API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                                int *warp) {
  (void)handle, (void)host, (void)device, (void)name, (void)thread_limit;
  (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
}

API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                           size_t size, int constant, int global) {
  (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size, (void)constant;
  (void)global;
}

// What stands between <<< and >>> is handed from one call to the next in the same thread.
static __thread struct { dim3 grid, block; size_t shared; void *stream; } pushed;

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  pushed.grid = grid;
  pushed.block = block;
  pushed.shared = shared;
  pushed.stream = stream;
  return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  *(void **)stream = pushed.stream;
  return cudaSuccess;
}

API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  *kernel = (cudaKernel_t)function;
  return cudaSuccess;
}

static cudaError_t launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  int device, streams_device;
  cudaError_t error = ready_on(&device);
  if (!error) error = ready_with(stream, &streams_device);
  if (error) return done(error);
  // A kernel goes to a stream of the thread's own device only.
  if (device != streams_device) return done(cudaErrorInvalidResourceHandle);
  bool fits = grid.x && grid.y && grid.z && block.x && block.y && block.z &&
              grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535 &&
              (size_t)block.x * block.y * block.z <= 1024 && block.z <= 64;
  (void)shared;
  return done(fits ? give_work(stream, (struct work){.kind = KERNEL}) : cudaErrorInvalidConfiguration);
}

API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                 size_t shared, cudaStream_t stream) {
  (void)function, (void)arguments;
  return launch(grid, block, shared, stream);
}

API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                   size_t shared, cudaStream_t stream) {
  (void)kernel, (void)arguments;
  return launch(grid, block, shared, stream);
}

API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                            void **arguments, size_t shared, cudaStream_t stream) {
  (void)function, (void)arguments;
  return launch(grid, block, shared, stream);
}

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                    void **arguments) {
  (void)function, (void)arguments;
  return launch(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
}

// The newest compiled code that a card can run: of its own major version, not newer than itself.
static int compiled_for(void) {
  int own = settings.major * 10 + settings.minor, found = own;
  for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
    if (architectures[i] / 10 == settings.major && architectures[i] <= own) found = architectures[i];
  return found;
}

// Kernels are not looked into: 32 registers and full blocks are what these calls answer for all.
API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
  int device;
  cudaError_t error = ready_on(&device);
  (void)function;
  memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion = compiled_for();
  attributes->maxDynamicSharedSizeBytes = 48 * 1024;
  return done(error);
}

API cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return done(ready());
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                       int threads, size_t shared,
                                                                       unsigned flags) {
  struct cudaDeviceProp properties;
  int device;
  (void)function, (void)shared, (void)flags;
  current_device(&device);
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (!error && threads <= 0) error = done(cudaErrorInvalidValue);
  if (error) return error;
  *blocks = properties.maxThreadsPerMultiProcessor / threads;
  if (*blocks > properties.maxBlocksPerMultiProcessor) *blocks = properties.maxBlocksPerMultiProcessor;
  return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                              int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

API cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  *pointer = (void *)symbol;
  return done(ready());
}

API cudaError_t cudaProfilerStart(void) { return cudaSuccess; }

API cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

// A call of cuBLAS that computes; what it returns is a status of cuBLAS.
API int stand_in_product(cudaStream_t stream) {
  enum { CUBLAS_SUCCESS = 0, CUBLAS_EXECUTION_FAILED = 13 };
  dim3 one = {1, 1, 1};
  return launch(one, one, 0, stream) ? CUBLAS_EXECUTION_FAILED : CUBLAS_SUCCESS;
}
