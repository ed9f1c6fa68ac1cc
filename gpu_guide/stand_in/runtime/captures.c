// Capturing: work on a stream becomes nodes of a graph, and what cannot is refused as CUDA does it.
//
// The rules are those of the CUDA C++ Programming Guide ("Creating a Graph Using Stream Capture",
// prohibited and unhandled operations) and of cudaThreadExchangeStreamCaptureMode.
#include "streams.h"
#include <stdlib.h>

struct capture {
  unsigned long long id;
  enum cudaStreamCaptureMode mode;
  pthread_t thread;
  bool running, valid;
  struct graph *graph;
  struct stream *origin;
  struct stream **streams;  // all that take part, the origin first
  size_t count;
  struct capture *next;
};

static struct capture *captures;  // never freed: an event may still name one that has ended
static unsigned long long ids;
static __thread enum cudaStreamCaptureMode mine = cudaStreamCaptureModeGlobal;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A thread may not call what could wait for the device while its own capture runs, nor while one
// runs that is global; a thread or a capture that is "relaxed" is free to.
cudaError_t may_wait(void) {
  if (captures == NULL || mine == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  pthread_mutex_lock(&lock);
  for (struct capture *one = captures; one; one = one->next) {
    if (!one->running) continue;
    bool own = pthread_equal(one->thread, pthread_self());
    bool hit = own ? one->mode != cudaStreamCaptureModeRelaxed
                   : one->mode == cudaStreamCaptureModeGlobal && mine == cudaStreamCaptureModeGlobal;
    if (!hit) continue;
    one->valid = false;
    error = cudaErrorStreamCaptureUnsupported;
  }
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t may_query(struct stream *stream) {
  if (stream->capture == NULL) return cudaSuccess;
  stream->capture->valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

// The default stream waits for every stream that is not made "non-blocking", captured or not.
cudaError_t may_use(cudaStream_t stream) {
  if (captures == NULL || (stream != NULL && stream != cudaStreamLegacy)) return cudaSuccess;
  cudaError_t error = cudaSuccess;
  pthread_mutex_lock(&lock);
  for (struct capture *one = captures; one; one = one->next)
    for (size_t i = 0; one->running && i < one->count; i++)
      if (!(one->streams[i]->flags & cudaStreamNonBlocking)) {
        one->valid = false;
        error = cudaErrorStreamCaptureImplicit;
      }
  pthread_mutex_unlock(&lock);
  return error;
}

struct node *captured(struct stream *stream, struct work work) {
  struct capture *capture = stream->capture;
  if (!capture->valid) return NULL;
  pthread_mutex_lock(&lock);
  struct node *node = add_node(capture->graph, work, &stream->tail);
  if (node) set_tail(&stream->tail, (cudaGraphNode_t *)&node, 1);
  pthread_mutex_unlock(&lock);
  return node;
}

void record_capture(struct event *event, struct stream *stream) {
  event->capture = stream ? stream->capture : NULL;
  if (event->capture) set_tail(&event->tail, stream->tail.nodes, stream->tail.count);
  else set_tail(&event->tail, NULL, 0);
}

// A stream that waits for an event of a capture takes part in it.
cudaError_t wait_capture(struct stream *stream, struct event *event) {
  struct capture *of_stream = stream ? stream->capture : NULL;
  if (event->capture == NULL && of_stream == NULL) return cudaSuccess;
  if (event->capture == NULL) {
    of_stream->valid = false;
    return cudaErrorStreamCaptureIsolation;
  }
  if (!event->capture->running) return cudaErrorCapturedEvent;
  if (stream == NULL) {
    event->capture->valid = false;
    return cudaErrorStreamCaptureImplicit;
  }
  if (of_stream && of_stream != event->capture) {
    of_stream->valid = event->capture->valid = false;
    return cudaErrorStreamCaptureMerge;
  }
  pthread_mutex_lock(&lock);
  struct capture *capture = event->capture;
  if (of_stream == NULL) {
    struct stream **more = realloc(capture->streams, (capture->count + 1) * sizeof *more);
    if (more == NULL) give_up("stand-in: no memory left on the host for a graph");
    capture->streams = more;
    capture->streams[capture->count++] = stream;
    stream->capture = capture;
    set_tail(&stream->tail, NULL, 0);
  }
  join_tails(&stream->tail, &event->tail);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct stream *one = stream_of(stream);
  if (!error && one == NULL) error = cudaErrorStreamCaptureUnsupported;
  if (!error && one->capture) error = cudaErrorIllegalState;
  if (error) return done(error);
  struct capture *new = calloc(1, sizeof *new);
  struct stream **streams = malloc(sizeof *streams);
  struct graph *graph = new_graph();
  if (new == NULL || streams == NULL || graph == NULL) return done(cudaErrorMemoryAllocation);
  streams[0] = one;
  pthread_mutex_lock(&lock);
  *new = (struct capture){.id = ++ids, .mode = mode, .thread = pthread_self(), .running = true,
                          .valid = true, .graph = graph, .origin = one, .streams = streams,
                          .count = 1, .next = captures};
  captures = new;
  set_tail(&one->tail, NULL, 0);
  one->capture = new;
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct stream *one = stream_of(stream);
  struct capture *capture = one ? one->capture : NULL;
  *graph = NULL;
  if (!error && capture == NULL) error = cudaErrorIllegalState;
  if (error) return done(error);
  if (capture->origin != one) return done(cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      !pthread_equal(capture->thread, pthread_self()))
    return done(cudaErrorStreamCaptureWrongThread);
  pthread_mutex_lock(&lock);
  if (!capture->valid) error = cudaErrorStreamCaptureInvalidated;
  mark_before(capture->graph, &one->tail);
  for (size_t i = 1; !error && i < capture->count; i++)
    for (size_t n = 0; !error && n < capture->streams[i]->tail.count; n++)
      if (!((struct node *)capture->streams[i]->tail.nodes[n])->marked)
        error = cudaErrorStreamCaptureUnjoined;
  capture->running = false;
  for (size_t i = 0; i < capture->count; i++) {
    set_tail(&capture->streams[i]->tail, NULL, 0);
    capture->streams[i]->capture = NULL;
  }
  struct graph *made = capture->graph;
  capture->graph = NULL;
  pthread_mutex_unlock(&lock);
  if (error) drop_graph(made);
  else *graph = (cudaGraph_t)made;
  return done(error);
}

API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                         unsigned long long *id, cudaGraph_t *graph,
                                         const cudaGraphNode_t **nodes,
                                         const cudaGraphEdgeData **edges, size_t *count) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct stream *one = stream_of(stream);
  struct capture *capture = one ? one->capture : NULL;
  if (error) return done(error);
  *status = capture == NULL   ? cudaStreamCaptureStatusNone
            : capture->valid ? cudaStreamCaptureStatusActive
                             : cudaStreamCaptureStatusInvalidated;
  if (id) *id = capture ? capture->id : 0;
  if (edges) *edges = NULL;
  if (graph) *graph = capture ? (cudaGraph_t)capture->graph : NULL;
  if (nodes) *nodes = capture ? one->tail.nodes : NULL;
  if (count) *count = capture ? one->tail.count : 0;
  return cudaSuccess;
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  return cudaStreamGetCaptureInfo(stream, status, NULL, NULL, NULL, NULL, NULL);
}

API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                    const cudaGraphEdgeData *edges, size_t count,
                                                    unsigned flags) {
  int device;
  cudaError_t error = ready_with(stream, &device);
  struct stream *one = stream_of(stream);
  (void)edges;
  if (!error && (one == NULL || one->capture == NULL)) error = cudaErrorIllegalState;
  if (error) return done(error);
  struct tail tail = {nodes, count};
  pthread_mutex_lock(&lock);
  if (flags == cudaStreamSetCaptureDependencies) set_tail(&one->tail, nodes, count);
  else join_tails(&one->tail, &tail);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  enum cudaStreamCaptureMode before = mine;
  mine = *mode;
  *mode = before;
  return cudaSuccess;
}
