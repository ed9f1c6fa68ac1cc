// Streams, and where the work goes that is given to one: it is done, or becomes nodes of a graph.
#pragma once
#include "machine.h"

struct work {
  enum { NOTHING, KERNEL, COPY_ROWS, FILL, HOST_CALL } kind;
  void *to;
  const void *from;
  size_t to_pitch, from_pitch, width, height;  // a plain copy is one row
  int value;
  cudaHostFn_t function;
  void *data;
};

// handles.c: what a handle stands for. A destroyed stream's memory is kept, so that using the handle
// afterwards is an error that is seen rather than a read of what stands there by then.
enum mark { STREAM = 0x5eaa, EVENT = 0xe4e2, DESTROYED = 0xdead };
struct tail {  // the nodes that the next one of a captured stream waits for
  cudaGraphNode_t *nodes;
  size_t count;
};
struct source {  // of messages with numbers; what comes before one has come, too
  bool (*has_come)(struct source *source, unsigned long number);
};
struct waits {
  struct wait { struct source *source; unsigned long number; } *items;
  size_t count;
};
struct stream {
  enum mark mark;
  int device, priority;
  unsigned flags;
  struct capture *capture;
  struct tail tail;
  struct waits waits;
};
struct event {
  enum mark mark;
  int device;
  unsigned flags;
  bool recorded;
  struct timespec when;
  struct capture *capture;  // not NULL: recorded in a stream that was being captured
  struct tail tail;
  struct waits waits;
};
bool is_default(cudaStream_t stream);
struct stream *stream_of(cudaStream_t handle);  // NULL for a default stream, and for no stream
struct event *event_of(cudaEvent_t handle);
cudaError_t ready_with(cudaStream_t stream, int *device);
void set_tail(struct tail *tail, const cudaGraphNode_t *nodes, size_t count);
void join_tails(struct tail *tail, const struct tail *more);

// nodes.c: what a graph consists of.
struct node {
  struct work work;
  struct tail after;
  bool marked;
};
struct object {  // of the program; counted, and destroyed with its last user
  cudaHostFn_t destroy;
  void *data;
  unsigned users;
};
struct graph {
  struct node **nodes;
  size_t count, room;
  struct object **objects;
  size_t object_count;
};
struct graph *new_graph(void);
struct node *add_node(struct graph *graph, struct work work, const struct tail *after);
void mark_before(struct graph *graph, const struct tail *tail);  // whatever the tail waits for
void drop_users(struct object *object, unsigned count);
void drop_graph(struct graph *graph);

// captures.c: streams whose work is written down instead of done.
cudaError_t may_wait(void);                     // before what may not happen while a capture runs
cudaError_t may_use(cudaStream_t stream);       // before work on a default stream
cudaError_t may_query(struct stream *stream);   // before waiting for a stream
struct node *captured(struct stream *stream, struct work work);
void record_capture(struct event *event, struct stream *stream);
cudaError_t wait_capture(struct stream *stream, struct event *event);

// waits.c: messages of other processes that a stream or an event waits for.
void settle(cudaStream_t stream, int device);  // waits
void settle_without_python(cudaStream_t stream, int device);
void settle_device(int device);
void settle_event(struct event *event);
bool is_settled(cudaStream_t stream, int device);
bool has_happened(struct event *event);
void record_waits(struct event *event, cudaStream_t stream, int device);
void wait_with(cudaStream_t stream, int device, const struct event *event);
API void stand_in_await(cudaStream_t stream, struct source *source, unsigned long number);

// work.c: what is given to a stream, done at once unless the stream is being captured.
cudaError_t perform(const struct work *work);
cudaError_t give_work(cudaStream_t stream, struct work work);
