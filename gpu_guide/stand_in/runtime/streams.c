// Streams and events. Work is done as soon as it is given, but for what comes of other processes.
#include "calls.h"
#include <stdlib.h>

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  int device;
  cudaError_t error = ready_on(&device);
  if (!error && flags & ~cudaStreamNonBlocking) error = cudaErrorInvalidValue;
  if (error) return done(error);
  struct stream *new = malloc(sizeof *new);
  if (new == NULL) return done(cudaErrorMemoryAllocation);
  // CUDA takes the nearest priority that there is.
  priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  *new = (struct stream){.mark = STREAM, .device = device, .priority = priority, .flags = flags};
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

static cudaError_t may_ask(cudaStream_t stream) {
  struct stream *one = stream_of(stream);
  return one ? may_query(one) : may_wait();
}

API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  if (!error) error = may_ask(stream);
  if (!error && !is_settled(stream, device)) error = cudaErrorNotReady;
  return done(error ? error : synchronized());
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  if (!error) error = fault(SYNCHRONIZE);
  if (!error) error = may_ask(stream);
  if (!error) settle(stream, device);
  return done(error ? error : synchronized());
}

API cudaError_t cudaDeviceSynchronize(void) {
  int device;
  cudaError_t error = cudaStreamSynchronize(NULL);
  if (!error && !(error = current_device(&device))) settle_device(device);
  return error;
}

API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct event *one = event_of(event);
  if (!error && one == NULL) error = cudaErrorInvalidResourceHandle;
  // An external wait belongs to the graph: it waits for nothing that is still being captured.
  if (!error && flags != cudaEventWaitExternal) error = wait_capture(stream_of(stream), one);
  if (!error) wait_with(stream, device, one);
  return done(error);
}

API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct work work = {.kind = HOST_CALL, .function = function, .data = data};
  return done(error ? error : give_work(stream, work));
}

API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                      unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  (void)flags;
  struct stream *one = stream_of(stream);
  if (!error && one && one->capture) error = may_query(one);  // unlike a host function, no node
  if (!error) function(stream, cudaSuccess, data);
  return done(error);
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

API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  struct event *one = event_of(event);
  cudaError_t error = ready();
  if (one == NULL) return done(cudaErrorInvalidResourceHandle);
  set_tail(&one->tail, NULL, 0);
  free(one->waits.items);
  one->mark = DESTROYED;
  free(one);  // PyTorch makes and destroys one for each block that a second stream has used
  return done(error);
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct event *one = event_of(event);
  if (!error && (one == NULL || one->device != device)) error = cudaErrorInvalidResourceHandle;
  if (!error) error = may_use(stream);
  if (error) return done(error);
  one->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &one->when);
  record_waits(one, stream, device);
  record_capture(one, flags == cudaEventRecordExternal ? NULL : stream_of(stream));
  return cudaSuccess;
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static cudaError_t ready_for(struct event *event) {
  cudaError_t error = ready();
  if (!error && event == NULL) error = cudaErrorInvalidResourceHandle;
  if (!error) error = may_wait();
  return !error && event->capture ? cudaErrorCapturedEvent : error;
}

// An event that was never recorded counts as done.
API cudaError_t cudaEventQuery(cudaEvent_t event) {
  cudaError_t error = ready_for(event_of(event));
  if (!error && !has_happened(event_of(event))) error = cudaErrorNotReady;
  return done(error ? error : synchronized());
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  cudaError_t error = ready_for(event_of(event));
  if (!error) error = fault(SYNCHRONIZE);
  if (!error) settle_event(event_of(event));
  return done(error ? error : synchronized());
}

// The host's clock: what passed between the calls that recorded both, not what a kernel takes.
API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  struct event *a = event_of(from), *b = event_of(to);
  cudaError_t error = ready();
  bool timed = a && b && a->recorded && b->recorded && a->device == b->device && !a->capture &&
               !b->capture && !((a->flags | b->flags) & cudaEventDisableTiming);
  if (!error && !timed) error = cudaErrorInvalidResourceHandle;
  if (error) return done(error);
  double seconds = b->when.tv_sec - a->when.tv_sec;
  *milliseconds = seconds * 1e3 + (b->when.tv_nsec - a->when.tv_nsec) / 1e6;
  return cudaSuccess;
}
