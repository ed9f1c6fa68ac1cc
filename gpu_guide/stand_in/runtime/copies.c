// Copies and fills: done at once, by the host.
#include "stand_in.h"
#include <string.h>

static cudaError_t begin(void) {
  int device;
  cudaError_t error = ready_on(&device);
  return error ? error : fault(COPY);
}

// A copy that the host waits for hears of the kernels before it.
static cudaError_t begin_waited(void) {
  cudaError_t error = begin();
  return error ? error : synchronized();
}

API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  cudaError_t error = begin_waited();
  (void)kind;
  if (!error) memmove(to, from, bytes);
  return done(error);
}

API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                cudaStream_t stream) {
  cudaError_t error = begin();
  (void)kind, (void)stream;
  if (!error) memmove(to, from, bytes);
  return done(error);
}

API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                    size_t bytes, cudaStream_t stream) {
  cudaError_t error = begin();
  (void)stream;
  bool known = 0 <= to_device && to_device < visible_count && 0 <= from_device &&
               from_device < visible_count;
  if (!error && !known) error = cudaErrorInvalidDevice;
  if (!error) memmove(to, from, bytes);
  return done(error);
}

API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                  size_t width, size_t height, enum cudaMemcpyKind kind,
                                  cudaStream_t stream) {
  cudaError_t error = begin();
  (void)kind, (void)stream;
  if (!error && (width > to_pitch || width > from_pitch)) error = cudaErrorInvalidPitchValue;
  for (size_t row = 0; !error && row < height; row++)
    memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
  return done(error);
}

API cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  cudaError_t error = begin();
  if (!error) memset(to, value, bytes);
  return done(error);
}

API cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  (void)stream;
  return cudaMemset(to, value, bytes);
}

// A symbol is a variable of a kernel, and no kernel runs, so nothing would ever read it.
API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                   enum cudaMemcpyKind kind) {
  (void)symbol, (void)from, (void)bytes, (void)offset, (void)kind;
  return done(begin_waited());
}
