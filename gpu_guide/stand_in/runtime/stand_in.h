// A stand-in for the CUDA runtime and driver: what its files share.
//
// Device memory is host memory that is reserved, counted and refused beyond the card's size. Copies
// are done, kernels are registered and never run. A call that is not here says its name and fails.
#pragma once
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define MAX_DEVICES 16
#define MIB ((size_t)1 << 20)
#define PAGE (2 * MIB)  // what CUDA maps at least: cuMemGetAllocationGranularity says so
#define NAME_LENGTH 256

// The memory that a context takes on its device. On hardware it depends on card, driver and on the
// kernels that are loaded; NVIDIA documents no figure. This one is chosen, and the same everywhere.
#define CONTEXT_BYTES (512 * MIB)

// settings.c: what the environment says, read when the library is loaded, but for what CUDA reads
// when it is first used.
struct settings {
  int count;  // devices that are built in; how many a process sees is in devices.c
  size_t memory;
  int major, minor, multiprocessors;
  char name[NAME_LENGTH];
  int driver, runtime;  // 13000 is 13.0; a driver of 0 is none
  bool blocking;        // CUDA_LAUNCH_BLOCKING
  bool log, quiet;
  bool alike;           // the other ranks of a group do what this one does, and hold what it holds
  size_t largest_copy;  // bytes: larger copies are not done
};
extern struct settings settings;
void read_settings(void);
void read_at_first_use(void);
void read_count(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

// devices.c: devices that a process sees; all numbers in other files count these.
extern int visible_count;
bool exists(int device);
int physical(int device);
void choose_visible(void);
void fill_uuid(int physical_device, unsigned char bytes[16]);
void bus_id(int physical_device, char *text, int length);
cudaError_t current_device(int *device);
cudaError_t use_device(int device);
bool has_context(int device);

// errors.c: the last error of a thread, and errors that a context never loses.
cudaError_t alive(void);               // before a call that only asks: CUDA has not been forked
cudaError_t ready(void);               // before any other: also the sticky error
cudaError_t ready_on(int *device);     // the same, with a context on the thread's device
cudaError_t done(cudaError_t error);   // after a call: remembers the error for cudaGetLastError
CUresult driver_result(cudaError_t error);

// faults.c: errors that STAND_IN_FAULT asks for.
enum call { COUNT, INIT, LAUNCH, SYNCHRONIZE, MALLOC, COPY, CALLS };
void read_faults(void);
cudaError_t fault(enum call call);
cudaError_t launched(void);                  // the fault of one launch, which may come later
cudaError_t synchronized(void);              // what earlier launches left behind
bool ends_context(cudaError_t error);

// memory.c: what is allocated where. `kind` tells what may free it.
enum kind { DEVICE, PINNED, REGISTERED, RESERVED, POOLED };
struct block {
  char *start;
  size_t size, taken;  // bytes asked for; bytes of device memory that it takes
  int device;
  enum kind kind;
};
size_t used_bytes(int device);
bool take(int device, size_t bytes);  // false where the device has not that much left
void give(int device, size_t bytes);
bool find_block(const void *pointer, struct block *found);
bool add_block(struct block block);
bool remove_block(const void *start, unsigned kinds, struct block *removed);
void *reserve(size_t bytes, int protection);
size_t in_pages(size_t bytes);
cudaError_t allocate(void **pointer, size_t bytes, int device, enum kind kind);
cudaError_t release(void *pointer, unsigned kinds);

// work.c: what is given to a stream, done at once unless the stream is being captured.
struct work {
  enum { NOTHING, KERNEL, COPY_ROWS, FILL, HOST_CALL } kind;
  void *to;
  const void *from;
  size_t to_pitch, from_pitch, width, height;  // a plain copy is one row
  int value;
  cudaHostFn_t function;
  void *data;
};
cudaError_t perform(const struct work *work);
cudaError_t give_work(cudaStream_t stream, struct work work);

// streams.c: what a handle stands for. A destroyed stream's memory is kept, so that using the handle
// afterwards is an error that is seen rather than a read of what stands there by then.
enum mark { STREAM = 0x5eaa, EVENT = 0xe4e2, DESTROYED = 0xdead };
struct tail {  // the nodes that the next one of a captured stream waits for
  cudaGraphNode_t *nodes;
  size_t count;
};
struct stream {
  enum mark mark;
  int device, priority;
  unsigned flags;
  struct capture *capture;
  struct tail tail;
};
struct event {
  enum mark mark;
  int device;
  unsigned flags;
  bool recorded;
  struct timespec when;
  struct capture *capture;  // not NULL: recorded in a stream that was being captured
  struct tail tail;
};
bool is_default(cudaStream_t stream);
struct stream *stream_of(cudaStream_t handle);  // NULL for a default stream, and for no stream
cudaError_t ready_with(cudaStream_t stream, int *device);

// captures.c: streams whose work is written down instead of done.
cudaError_t may_wait(void);                     // before what may not happen while a capture runs
cudaError_t may_use(cudaStream_t stream);       // before work on a default stream
cudaError_t may_query(struct stream *stream);   // before waiting for a stream
struct node *captured(struct stream *stream, struct work work);
void record_capture(struct event *event, struct stream *stream);
cudaError_t wait_capture(struct stream *stream, struct event *event);
void set_tail(struct tail *tail, const cudaGraphNode_t *nodes, size_t count);

// graphs.c
struct node {
  struct work work;
  struct tail after;
  bool marked;
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
