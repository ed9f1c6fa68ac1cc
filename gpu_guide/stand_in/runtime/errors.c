// The last error of each thread, the error that a context never loses, and their names.
#include "errors.h"
#include "error_texts.h"  // written when this is built: what the CUDA runtime calls its errors
#include <stdatomic.h>

static __thread cudaError_t last;
static atomic_int sticky;
static atomic_bool used, forked;

static void in_child(void) {
  if (atomic_load(&used)) atomic_store(&forked, true);
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

static void use(void) {
  read_at_first_use();
  choose_visible();
}

// A context does not survive fork: CUDA answers cudaErrorInitializationError in the child.
cudaError_t alive(void) {
  static pthread_once_t first_use = PTHREAD_ONCE_INIT;
  pthread_once(&first_use, use);
  if (atomic_load(&forked)) return cudaErrorInitializationError;
  atomic_store(&used, true);
  return cudaSuccess;
}

cudaError_t ready(void) {
  cudaError_t error = alive();
  return error ? error : atomic_load(&sticky);
}

cudaError_t done(cudaError_t error) {
  if (error == cudaSuccess) return error;
  if (ends_context(error)) atomic_store(&sticky, error);
  last = error;
  return error;
}

API cudaError_t cudaGetLastError(void) {
  cudaError_t error = last;
  last = atomic_load(&sticky);
  return error;
}

API cudaError_t cudaPeekAtLastError(void) { return last; }

static const struct text *text_of(int error) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].error == error) return &texts[i];
  return NULL;
}

API const char *cudaGetErrorName(cudaError_t error) {
  const struct text *text = text_of(error);
  return text ? text->name : UNRECOGNIZED;
}

API const char *cudaGetErrorString(cudaError_t error) {
  const struct text *text = text_of(error);
  return text ? text->words : UNRECOGNIZED;
}

// The driver's numbers are the runtime's wherever PyTorch sees them.
CUresult driver_result(cudaError_t error) { return (CUresult)error; }

API CUresult cuGetErrorString(CUresult error, const char **words) {
  const struct text *text = text_of(error);
  *words = text ? text->words : NULL;
  return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorName(CUresult error, const char **name) {
  const struct text *text = text_of(error);
  *name = text ? text->name : NULL;
  return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API int stand_in_refused(const char *call, int status) {
  if (!settings.quiet) say("stand-in: %s is a call that the stand-in GPU does not answer", call);
  if (call[0] == 'c' && call[1] == 'u' && call[2] == 'd' && call[3] == 'a') done(status);
  return status;
}
