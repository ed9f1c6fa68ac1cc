// cuFFT: plans are numbers, and to execute one is a launch. PyTorch allocates the workspace.
//
// How large it is, cuFFT says to a GPU only. On an H200 it was nothing for 1,024 transforms of
// 256 x 256, in both directions; that is assumed of all others, and a dry run's report says so.
#include "libraries.h"
#include <stdatomic.h>

enum { CUFFT_SUCCESS = 0, CUFFT_EXEC_FAILED = 6 };

// PyTorch sets a plan's stream right before it executes the plan, in the same thread.
static __thread cudaStream_t stream;

API int cufftCreate(int *plan) {
  static atomic_int made;
  *plan = ++made;
  return CUFFT_SUCCESS;
}

API int cufftDestroy(int plan) {
  (void)plan;
  return CUFFT_SUCCESS;
}

API int cufftSetAutoAllocation(int plan, int automatic) {
  (void)plan, (void)automatic;
  return CUFFT_SUCCESS;
}

API int cufftXtMakePlanMany(int plan, int rank, long long *n, long long *in, long long in_stride,
                            long long in_distance, int in_type, long long *out,
                            long long out_stride, long long out_distance, int out_type,
                            long long batch, size_t *workspace, int type) {
  (void)plan, (void)rank, (void)n, (void)in, (void)in_stride, (void)in_distance, (void)in_type;
  (void)out, (void)out_stride, (void)out_distance, (void)out_type, (void)batch, (void)type;
  *workspace = 0;
  return CUFFT_SUCCESS;
}

API int cufftSetStream(int plan, cudaStream_t given) {
  (void)plan;
  stream = given;
  return CUFFT_SUCCESS;
}

API int cufftSetWorkArea(int plan, void *workspace) {
  (void)plan, (void)workspace;
  return CUFFT_SUCCESS;
}

API int cufftXtExec(int plan, void *in, void *out, int direction) {
  (void)plan, (void)in, (void)out, (void)direction;
  return stand_in_product(stream) ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}
