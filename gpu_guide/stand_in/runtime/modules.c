// Kernels that a program compiles while it runs: loaded, found by any name, and never run.
//
// PyTorch's own, cuDNN's and Triton's come this way. Nothing is looked into, so every handle is the
// same, and a kernel that is not there is found as well.
#include "calls.h"
#include <string.h>

static char any;  // whose address is each handle

static CUresult loaded(void *handle) {
  *(void **)handle = &any;
  return driver_result(ready());
}

API CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options,
                               void **values, unsigned count, CUlibraryOption *more,
                               void **more_values, unsigned more_count) {
  (void)code, (void)options, (void)values, (void)count, (void)more, (void)more_values;
  (void)more_count;
  return loaded(library);
}

API CUresult cuLibraryUnload(CUlibrary library) {
  (void)library;
  return CUDA_SUCCESS;
}

API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  (void)library, (void)name;
  return loaded(kernel);
}

API CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  (void)library;
  return loaded(module);
}

API CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  (void)kernel;
  return loaded(function);
}

API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                  CUdevice device) {
  (void)attribute, (void)value, (void)kernel, (void)device;
  return CUDA_SUCCESS;
}

API CUresult cuModuleLoad(CUmodule *module, const char *file) {
  (void)file;
  return loaded(module);
}

API CUresult cuModuleLoadData(CUmodule *module, const void *code) {
  (void)code;
  return loaded(module);
}

API CUresult cuModuleLoadDataEx(CUmodule *module, const void *code, unsigned count,
                                CUjit_option *options, void **values) {
  (void)code, (void)count, (void)options, (void)values;
  return loaded(module);
}

API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  (void)module, (void)name;
  return loaded(function);
}

API CUresult cuModuleUnload(CUmodule module) {
  (void)module;
  return CUDA_SUCCESS;
}

API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  (void)function, (void)attribute, (void)value;
  return CUDA_SUCCESS;
}

// As few registers as possible, and no memory: a program that checks whether a kernel fits is content.
API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  (void)function;
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                : 0;
  return CUDA_SUCCESS;
}

API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                            CUstream stream, void **arguments, void **extra) {
  (void)extra;
  dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
  return driver_result(cudaLaunchKernel(function, grid, block, arguments, shared, stream));
}

API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments,
                              void **extra) {
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                        config->blockDimX, config->blockDimY, config->blockDimZ,
                        config->sharedMemBytes, config->hStream, arguments, extra);
}

// cuDNN looks for these by their oldest names when it compiles a kernel, and does without them.
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuLinkCreate
#undef cuLinkAddData
API CUresult cuCtxPushCurrent(void) { return CUDA_ERROR_NOT_SUPPORTED; }
API CUresult cuCtxPopCurrent(void) { return CUDA_ERROR_NOT_SUPPORTED; }
API CUresult cuLinkCreate(void) { return CUDA_ERROR_NOT_SUPPORTED; }
API CUresult cuLinkAddData(void) { return CUDA_ERROR_NOT_SUPPORTED; }

// NVIDIA's libraries that bring a CUDA runtime of their own inside ask for these first. They get
// nothing, and do without a device, as cuDNN's plans can.
#undef cuGetProcAddress
#undef cuGetProcAddress_v2
API CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *found) {
  (void)name, (void)version, (void)flags;
  *function = NULL;
  if (found) *found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_ERROR_NOT_FOUND;
}

API CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  (void)id;
  *table = NULL;
  return CUDA_ERROR_NOT_FOUND;
}
