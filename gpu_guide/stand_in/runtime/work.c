// What is given to a stream: done at once, or written into a graph and done when that is launched.
#include "stand_in.h"
#include <string.h>

cudaError_t perform(const struct work *work) {
  switch (work->kind) {
    case NOTHING:
      return cudaSuccess;
    case KERNEL:
      return launched();
    case COPY_ROWS:
      for (size_t row = 0; row < work->height; row++)
        memmove((char *)work->to + row * work->to_pitch,
                (const char *)work->from + row * work->from_pitch, work->width);
      return cudaSuccess;
    case FILL:
      memset(work->to, work->value, work->width);
      return cudaSuccess;
    case HOST_CALL:
      work->function(work->data);
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t give_work(cudaStream_t stream, struct work work) {
  struct stream *one = stream_of(stream);
  if (one == NULL) {
    cudaError_t error = may_use(stream);
    return error ? error : perform(&work);
  }
  if (one->capture == NULL) return perform(&work);
  return captured(one, work) ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
}
