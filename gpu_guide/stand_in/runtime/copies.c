// Copies and fills.
#include "calls.h"

static cudaError_t begin(cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  return error ? error : fault(COPY);
}

static struct work copy_of(void *to, const void *from, size_t bytes) {
  return (struct work){.kind = COPY_ROWS, .to = to, .from = from, .width = bytes, .height = 1};
}

// A copy that the host waits for hears of the kernels before it.
API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  cudaError_t error = begin(NULL);
  (void)kind;
  if (!error) error = may_wait();
  if (!error) error = synchronized();
  return done(error ? error : give_work(NULL, copy_of(to, from, bytes)));
}

API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                cudaStream_t stream) {
  cudaError_t error = begin(stream);
  (void)kind;
  return done(error ? error : give_work(stream, copy_of(to, from, bytes)));
}

API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                    size_t bytes, cudaStream_t stream) {
  cudaError_t error = begin(stream);
  if (!error && !(exists(to_device) && exists(from_device))) error = cudaErrorInvalidDevice;
  return done(error ? error : give_work(stream, copy_of(to, from, bytes)));
}

API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                  size_t width, size_t height, enum cudaMemcpyKind kind,
                                  cudaStream_t stream) {
  cudaError_t error = begin(stream);
  struct work work = {.kind = COPY_ROWS, .to = to, .from = from, .to_pitch = to_pitch,
                      .from_pitch = from_pitch, .width = width, .height = height};
  (void)kind;
  if (!error && (width > to_pitch || width > from_pitch)) error = cudaErrorInvalidPitchValue;
  return done(error ? error : give_work(stream, work));
}

API cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  cudaError_t error = begin(stream);
  struct work work = {.kind = FILL, .to = to, .value = value, .width = bytes};
  return done(error ? error : give_work(stream, work));
}

API cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, NULL);
}

// A symbol is a variable of a kernel, and no kernel runs, so nothing would ever read it.
API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                   enum cudaMemcpyKind kind) {
  cudaError_t error = begin(NULL);
  (void)symbol, (void)from, (void)bytes, (void)offset, (void)kind;
  if (!error) error = may_wait();
  return done(error ? error : synchronized());
}
