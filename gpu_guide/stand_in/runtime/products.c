// The calls of cuBLAS that compute: they are launches, and the kernel does nothing.
// What is multiplied makes no difference, so they are declared without it.
#include "libraries.h"

#define PRODUCT(name) \
  API int name(void *handle) { return stand_in_product(stand_in_stream_of(handle)); }
#define OF_FOUR_TYPES(name) \
  PRODUCT(cublasS##name) PRODUCT(cublasD##name) PRODUCT(cublasC##name) PRODUCT(cublasZ##name)

OF_FOUR_TYPES(gemm_v2)
OF_FOUR_TYPES(gemmBatched)
OF_FOUR_TYPES(gemmStridedBatched)
OF_FOUR_TYPES(gemv_v2)
OF_FOUR_TYPES(trsm_v2)
OF_FOUR_TYPES(trsmBatched)
PRODUCT(cublasSgemmEx)
PRODUCT(cublasGemmEx)
PRODUCT(cublasGemmBatchedEx)
PRODUCT(cublasGemmStridedBatchedEx)
PRODUCT(cublasSdot_v2)
PRODUCT(cublasDdot_v2)
PRODUCT(cublasCdotu_v2)
PRODUCT(cublasCdotc_v2)
PRODUCT(cublasZdotu_v2)
PRODUCT(cublasZdotc_v2)
PRODUCT(cublasDotEx)
