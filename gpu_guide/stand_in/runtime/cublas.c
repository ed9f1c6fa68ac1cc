// cuBLAS and cuBLASLt: handles and settings. Their kernels, like all others, do nothing.
//
// PyTorch allocates the workspaces itself, so their memory is its own doing. Types and numbers are
// those of cublas_api.h and cublasLt.h, which cannot be included: they want headers of a package
// that PyTorch does not always install.
#include "libraries.h"
#include <stdlib.h>
#include <string.h>

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
} cublasStatus_t;
typedef struct { cudaStream_t stream; int pointers, math; } *cublasHandle_t;
typedef struct {
  uint64_t algorithm[8];
  size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
} cublasLtMatmulHeuristicResult_t;

API cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  // A handle needs a context, as cuBLAS's own does.
  if (cudaFree(NULL) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = calloc(1, sizeof **handle);
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
  (void)handle, (void)bytes;
  // cuBLAS asks for an address that is a multiple of 256.
  return (size_t)workspace % 256 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasSetMathMode(cublasHandle_t handle, int mode) {
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetMathMode(cublasHandle_t handle, int *mode) {
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, int mode) {
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, int *mode) {
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  (void)handle, (void)count;
  return CUBLAS_STATUS_SUCCESS;
}

cudaStream_t stand_in_stream_of(void *handle) { return ((cublasHandle_t)handle)->stream; }

// The objects that describe a product to cuBLASLt hold nothing that is ever read.
static cublasStatus_t describe(void **object) {
  *object = calloc(1, 64);
  return *object ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

static cublasStatus_t forget(void *object) {
  free(object);
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t set(void *object, int attribute, const void *value, size_t bytes) {
  (void)object, (void)attribute, (void)value, (void)bytes;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtCreate(void **handle) { return describe(handle); }

API cublasStatus_t cublasLtDestroy(void *handle) { return forget(handle); }

API cublasStatus_t cublasLtMatmulDescCreate(void **product, int compute, int scale) {
  (void)compute, (void)scale;
  return describe(product);
}

API cublasStatus_t cublasLtMatmulDescDestroy(void *product) { return forget(product); }

API cublasStatus_t cublasLtMatmulDescSetAttribute(void *product, int attribute, const void *value,
                                                  size_t bytes) {
  return set(product, attribute, value, bytes);
}

API cublasStatus_t cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                                              uint64_t columns, int64_t leading) {
  (void)type, (void)rows, (void)columns, (void)leading;
  return describe(layout);
}

API cublasStatus_t cublasLtMatrixLayoutDestroy(void *layout) { return forget(layout); }

API cublasStatus_t cublasLtMatrixLayoutSetAttribute(void *layout, int attribute, const void *value,
                                                    size_t bytes) {
  return set(layout, attribute, value, bytes);
}

API cublasStatus_t cublasLtMatmulPreferenceCreate(void **preference) { return describe(preference); }

API cublasStatus_t cublasLtMatmulPreferenceDestroy(void *preference) { return forget(preference); }

API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute,
                                                        const void *value, size_t bytes) {
  return set(preference, attribute, value, bytes);
}

// One algorithm fits every product, and takes no workspace.
API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a, void *b,
                                                  void *c, void *d, void *preference, int wanted,
                                                  cublasLtMatmulHeuristicResult_t results[],
                                                  int *found) {
  (void)handle, (void)product, (void)a, (void)b, (void)c, (void)d, (void)preference;
  *found = wanted > 0;
  if (wanted > 0) memset(results, 0, sizeof *results);
  return CUBLAS_STATUS_SUCCESS;
}

API int cublasLtMatmul(void *handle, void *product, const void *alpha, const void *a, void *a_layout,
                       const void *b, void *b_layout, const void *beta, const void *c,
                       void *c_layout, void *d, void *d_layout, const void *algorithm,
                       void *workspace, size_t bytes, cudaStream_t stream) {
  (void)handle, (void)product, (void)alpha, (void)a, (void)a_layout, (void)b, (void)b_layout;
  (void)beta, (void)c, (void)c_layout, (void)d, (void)d_layout, (void)algorithm;
  (void)workspace, (void)bytes;
  return stand_in_product(stream);
}
