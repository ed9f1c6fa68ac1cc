// What is given to a stream: done at once, or written into a graph and done when that is launched.
#include "streams.h"
#include <string.h>
#include <sys/mman.h>

// Zeros are what the system gives for pages that it has taken back, so whole pages of them take no
// memory of the host: torch 2.15 clears every new tensor of zeros in this way. MADV_REMOVE does it
// for memory that is mapped in several places, and MADV_DONTNEED for memory of one place.
static void fill(char *to, int value, size_t bytes) {
  char *first = (char *)(((uintptr_t)to + PAGE - 1) / PAGE * PAGE);
  char *end = (char *)((uintptr_t)(to + bytes) / PAGE * PAGE);
  size_t whole = end > first ? end - first : 0;
  bool cleared = value == 0 && whole &&
                 (!madvise(first, whole, MADV_REMOVE) || !madvise(first, whole, MADV_DONTNEED));
  if (!cleared) {
    memset(to, value, bytes);
    return;
  }
  memset(to, 0, first - to);
  memset(end, 0, to + bytes - end);
}

cudaError_t perform(const struct work *work) {
  switch (work->kind) {
    case NOTHING:
      return cudaSuccess;
    case KERNEL:
      return launched();
    case COPY_ROWS:
      if (work->width * work->height > settings.largest_copy) return cudaSuccess;
      for (size_t row = 0; row < work->height; row++)
        memmove((char *)work->to + row * work->to_pitch,
                (const char *)work->from + row * work->from_pitch, work->width);
      return cudaSuccess;
    case FILL:
      fill(work->to, work->value, work->width);
      return cudaSuccess;
    case HOST_CALL:
      work->function(work->data);
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t give_work(cudaStream_t stream, struct work work) {
  struct stream *one = stream_of(stream);
  int device = 0;
  if (one && one->capture)
    return captured(one, work) ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  cudaError_t error = one ? cudaSuccess : may_use(stream);
  if (!error && !one) error = current_device(&device);
  if (error) return error;
  settle_without_python(stream, device);
  return perform(&work);
}
