// Handles: the streams and events that they stand for, and what the next node of one waits for.
#include "streams.h"
#include <stdlib.h>
#include <string.h>

bool is_default(cudaStream_t stream) {
  return stream == NULL || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

struct stream *stream_of(cudaStream_t handle) {
  struct stream *stream = (struct stream *)handle;
  return !is_default(handle) && stream->mark == STREAM ? stream : NULL;
}

struct event *event_of(cudaEvent_t handle) {
  struct event *event = (struct event *)handle;
  return event && event->mark == EVENT ? event : NULL;
}

// The error before a call on a stream, and the device that the stream belongs to.
cudaError_t ready_with(cudaStream_t stream, int *device) {
  cudaError_t error = ready_on(device);
  if (error || is_default(stream)) return error;
  struct stream *one = stream_of(stream);
  if (one == NULL) return cudaErrorInvalidResourceHandle;
  *device = one->device;
  return cudaSuccess;
}

void set_tail(struct tail *tail, const cudaGraphNode_t *nodes, size_t count) {
  cudaGraphNode_t *copy = NULL;
  if (count) {
    copy = malloc(count * sizeof *copy);
    if (copy == NULL) give_up("stand-in: no memory left on the host for a graph");
    memcpy(copy, nodes, count * sizeof *copy);
  }
  free(tail->nodes);
  *tail = (struct tail){copy, count};
}

void join_tails(struct tail *tail, const struct tail *more) {
  size_t room = tail->count + more->count, count = tail->count;
  cudaGraphNode_t *all = malloc((room ? room : 1) * sizeof *all);
  if (all == NULL) give_up("stand-in: no memory left on the host for a graph");
  if (count) memcpy(all, tail->nodes, count * sizeof *all);
  for (size_t i = 0; i < more->count; i++) {
    size_t at = 0;
    while (at < count && all[at] != more->nodes[i]) at++;
    if (at == count) all[count++] = more->nodes[i];
  }
  free(tail->nodes);
  *tail = (struct tail){all, count};
}
