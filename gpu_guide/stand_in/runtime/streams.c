// Streams and events. Work is done as soon as it is given, so a stream never has any left.
#include "stand_in.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A handle's memory is kept after it is destroyed, so that using it afterwards is an error that is
// seen rather than a read of what stands there by then.
enum mark { STREAM = 0x5eaa, EVENT = 0xe4e2, DESTROYED = 0xdead };
struct stream { enum mark mark; int device, priority; unsigned flags; };
struct event { enum mark mark; int device; unsigned flags; bool recorded; struct timespec when; };

static bool is_default(cudaStream_t stream) {
  return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

static struct stream *stream_of(cudaStream_t handle) {
  struct stream *stream = (struct stream *)handle;
  return stream->mark == STREAM ? stream : NULL;
}

static struct event *event_of(cudaEvent_t handle) {
  struct event *event = (struct event *)handle;
  return event && event->mark == EVENT ? event : NULL;
}

// The error before a call on a stream, and the device that the stream belongs to.
static cudaError_t ready_with(cudaStream_t stream, int *device) {
  cudaError_t error = ready_on(device);
  if (error || is_default(stream)) return error;
  struct stream *one = stream_of(stream);
  if (one == NULL) return cudaErrorInvalidResourceHandle;
  *device = one->device;
  return cudaSuccess;
}

cudaError_t stream_device(cudaStream_t stream, int *device) { return ready_with(stream, device); }

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  int device;
  cudaError_t error = ready_on(&device);
  if (!error && flags & ~cudaStreamNonBlocking) error = cudaErrorInvalidValue;
  if (error) return done(error);
  struct stream *new = malloc(sizeof *new);
  if (new == NULL) return done(cudaErrorMemoryAllocation);
  // CUDA takes the nearest priority that there is.
  priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  *new = (struct stream){STREAM, device, priority, flags};
  *stream = (cudaStream_t)new;
  return cudaSuccess;
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

API cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  int device;
  cudaError_t error = is_default(stream) ? cudaErrorInvalidResourceHandle : ready_with(stream, &device);
  if (!error) stream_of(stream)->mark = DESTROYED;
  return done(error);
}

API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  if (!error) *priority = is_default(stream) ? 0 : stream_of(stream)->priority;
  return done(error);
}

API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  if (!error) *flags = is_default(stream) ? cudaStreamDefault : stream_of(stream)->flags;
  return done(error);
}

API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  return done(error ? error : synchronized());
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  if (!error) error = fault(SYNCHRONIZE);
  return done(error ? error : synchronized());
}

API cudaError_t cudaDeviceSynchronize(void) { return cudaStreamSynchronize(NULL); }

API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  (void)flags;
  if (!error && event_of(event) == NULL) error = cudaErrorInvalidResourceHandle;
  return done(error);
}

API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  if (!error) function(data);
  return done(error);
}

API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                      unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  (void)flags;
  if (!error) function(stream, cudaSuccess, data);
  return done(error);
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  *status = cudaStreamCaptureStatusNone;
  return done(error);
}

API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                         unsigned long long *id, cudaGraph_t *graph,
                                         const cudaGraphNode_t **dependencies,
                                         const cudaGraphEdgeData **edges, size_t *count) {
  (void)graph, (void)dependencies, (void)edges, (void)count;
  if (id) *id = 0;
  return cudaStreamIsCapturing(stream, status);
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  static __thread enum cudaStreamCaptureMode mine = cudaStreamCaptureModeGlobal;
  enum cudaStreamCaptureMode before = mine;
  mine = *mode;
  *mode = before;
  return cudaSuccess;
}

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  int device;
  cudaError_t error = ready_on(&device);
  unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (!error && flags & ~known) error = cudaErrorInvalidValue;
  if (error) return done(error);
  struct event *new = calloc(1, sizeof *new);
  if (new == NULL) return done(cudaErrorMemoryAllocation);
  *new = (struct event){.mark = EVENT, .device = device, .flags = flags};
  *event = (cudaEvent_t)new;
  return cudaSuccess;
}

API cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

// Only what says "destroyed" is kept: PyTorch makes and destroys an event for every block that a
// second stream has used.
API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  struct event *one = event_of(event);
  cudaError_t error = ready();
  if (one == NULL) return done(cudaErrorInvalidResourceHandle);
  one->mark = DESTROYED;
  free(one);
  return done(error);
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct event *one = event_of(event);
  (void)flags;
  if (!error && (one == NULL || one->device != device)) error = cudaErrorInvalidResourceHandle;
  if (error) return done(error);
  one->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &one->when);
  return cudaSuccess;
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

// An event that was never recorded counts as done.
API cudaError_t cudaEventQuery(cudaEvent_t event) {
  cudaError_t error = ready();
  if (!error && event_of(event) == NULL) error = cudaErrorInvalidResourceHandle;
  return done(error ? error : synchronized());
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  cudaError_t error = ready();
  if (!error && event_of(event) == NULL) error = cudaErrorInvalidResourceHandle;
  if (!error) error = fault(SYNCHRONIZE);
  return done(error ? error : synchronized());
}

// The host's clock: what passed between the calls that recorded both, not what a kernel takes.
API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  struct event *a = event_of(from), *b = event_of(to);
  cudaError_t error = ready();
  bool timed = a && b && a->recorded && b->recorded && a->device == b->device &&
               !((a->flags | b->flags) & cudaEventDisableTiming);
  if (!error && !timed) error = cudaErrorInvalidResourceHandle;
  if (!error)
    *milliseconds = (b->when.tv_sec - a->when.tv_sec) * 1e3f + (b->when.tv_nsec - a->when.tv_nsec) / 1e6f;
  return done(error);
}
