// NCCL's calls: within one process, as DataParallel and torch.cuda.comm make them, and among processes.
// What is not here is refused.
#include "libraries.h"
#include <stdlib.h>
#include <string.h>

static __thread struct { int depth; struct collective *calls; size_t count, room; } open_group;

// The calls of all ranks, which stand in their order.
static int perform_together(struct collective **calls, int ranks) {
  struct collective *first = calls[0];
  size_t part = first->count * number_sizes[first->type];
  for (int rank = 1; rank < ranks; rank++)
    if (calls[rank]->kind != first->kind || calls[rank]->count != first->count ||
        calls[rank]->type != first->type || calls[rank]->root != first->root)
      return NCCL_INVALID_USAGE;
  if (first->kind == BROADCAST) {
    for (int rank = 0; rank < ranks; rank++) memmove(calls[rank]->to, calls[first->root]->from, part);
    return NCCL_SUCCESS;
  }
  if (first->kind == ALL_GATHER) {
    for (int rank = 0; rank < ranks; rank++)
      for (int other = 0; other < ranks; other++)
        memmove((char *)calls[rank]->to + other * part, calls[other]->from, part);
    return NCCL_SUCCESS;
  }
  bool scatters = first->kind == REDUCE_SCATTER;
  size_t count = scatters ? first->count * ranks : first->count;
  char *sum = malloc(count * number_sizes[first->type] + 1);
  if (sum == NULL) return NCCL_SYSTEM_ERROR;
  memcpy(sum, first->from, count * number_sizes[first->type]);
  for (int rank = 1; rank < ranks; rank++)
    combine(sum, calls[rank]->from, count, first->type, first->reduction);
  for (int rank = 0; rank < ranks; rank++)
    if (first->kind != REDUCE || rank == first->root)
      memmove(calls[rank]->to, sum + (scatters ? rank * part : 0), part);
  free(sum);
  return NCCL_SUCCESS;
}

// Each rank's first call that is not done belongs to the first of all others.
static int perform_all(struct collective *calls, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (calls[i].done) continue;
    struct group *group = calls[i].communicator->group;
    struct collective *together[MAX_DEVICES] = {NULL};
    for (size_t n = i; n < count; n++) {
      struct communicator *one = calls[n].communicator;
      if (!calls[n].done && one->group == group && !together[one->rank])
        together[one->rank] = &calls[n];
    }
    for (int rank = 0; rank < group->ranks; rank++)
      if (together[rank] == NULL)
        return stand_in_refused("a collective call of some ranks alone", NCCL_INVALID_USAGE);
    int error = perform_together(together, group->ranks);
    if (error) return error;
    for (int rank = 0; rank < group->ranks; rank++) together[rank]->done = true;
  }
  return NCCL_SUCCESS;
}

// Until the group ends.
static int put_off(struct collective call) {
  if (open_group.count == open_group.room) {
    size_t more = open_group.room ? 2 * open_group.room : 64;
    struct collective *grown = realloc(open_group.calls, more * sizeof *grown);
    if (grown == NULL) return NCCL_SYSTEM_ERROR;
    open_group.calls = grown;
    open_group.room = more;
  }
  open_group.calls[open_group.count++] = call;
  return NCCL_SUCCESS;
}

// What comes next in the stream waits for what others send; within a group, once that ends.
static int begin(struct collective call, cudaStream_t stream) {
  call.stream = stream;
  if (stand_in_product(stream)) return NCCL_SYSTEM_ERROR;
  int error = begin_among_processes(&call);
  if (error || !call.number) return error;
  if (open_group.depth) return put_off(call);
  stand_in_await(stream, &call.communicator->group->results, call.number);
  return NCCL_SUCCESS;
}

static int collect(struct collective call, const char *name, cudaStream_t stream) {
  enum cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) return NCCL_SYSTEM_ERROR;
  int ranks = call.communicator->group->ranks;
  if (call.communicator->group->remote) return begin(call, stream);
  bool averages = call.reduction == AVERAGE && ranks > 1;
  if (status != cudaStreamCaptureStatusNone || call.type >= NUMBERS || call.reduction > AVERAGE ||
      averages || ranks > MAX_DEVICES)
    return stand_in_refused(name, NCCL_INVALID_USAGE);
  return open_group.depth ? put_off(call) : perform_all(&call, 1);
}

API int ncclGroupStart(void) {
  open_group.depth++;
  return NCCL_SUCCESS;
}

API int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
                      struct communicator *one, cudaStream_t stream) {
  struct collective call = {.kind = BROADCAST, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type, .root = root};
  return collect(call, "ncclBroadcast of this kind", stream);
}

API int ncclBcast(void *buffer, size_t count, int type, int root, struct communicator *one,
                  cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, one, stream);
}

API int ncclReduce(const void *from, void *to, size_t count, int type, int reduction, int root,
                   struct communicator *one, cudaStream_t stream) {
  struct collective call = {.kind = REDUCE, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type, .reduction = reduction, .root = root};
  return collect(call, "ncclReduce of this kind", stream);
}

API int ncclAllReduce(const void *from, void *to, size_t count, int type, int reduction,
                      struct communicator *one, cudaStream_t stream) {
  struct collective call = {.kind = ALL_REDUCE, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type, .reduction = reduction};
  return collect(call, "ncclAllReduce of this kind", stream);
}

API int ncclReduceScatter(const void *from, void *to, size_t count, int type, int reduction,
                          struct communicator *one, cudaStream_t stream) {
  struct collective call = {.kind = REDUCE_SCATTER, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type, .reduction = reduction};
  return collect(call, "ncclReduceScatter of this kind", stream);
}

API int ncclAllGather(const void *from, void *to, size_t count, int type, struct communicator *one,
                      cudaStream_t stream) {
  struct collective call = {.kind = ALL_GATHER, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type};
  return collect(call, "ncclAllGather of this kind", stream);
}

API int ncclAlltoAll(const void *from, void *to, size_t count, int type, struct communicator *one,
                     cudaStream_t stream) {
  struct collective call = {.kind = ALL_TO_ALL, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type};
  if (!one->group->remote) return stand_in_refused("ncclAlltoAll", NCCL_INVALID_USAGE);
  return collect(call, "ncclAlltoAll", stream);
}

API int ncclSend(const void *from, size_t count, int type, int peer, struct communicator *one,
                 cudaStream_t stream) {
  struct group *group = one->group;
  if (!group->remote) return stand_in_refused("ncclSend", NCCL_INVALID_USAGE);
  if (type >= ALL_NUMBERS || peer < 0 || peer >= group->ranks) return NCCL_INVALID_ARGUMENT;
  size_t bytes = count * number_sizes[type];
  if (stand_in_product(stream)) return NCCL_SYSTEM_ERROR;
  bool sent = !stand_in_is_copied(bytes) ||
              send_message(group->name, "sent", group->sent[peer]++, one->rank, peer, from, bytes);
  return sent ? NCCL_SUCCESS : NCCL_SYSTEM_ERROR;
}

API int ncclRecv(void *to, size_t count, int type, int peer, struct communicator *one,
                 cudaStream_t stream) {
  struct collective call = {.kind = RECEIVE, .communicator = one, .to = to, .count = count,
                      .type = type, .root = peer};
  if (!one->group->remote) return stand_in_refused("ncclRecv", NCCL_INVALID_USAGE);
  if (peer < 0 || peer >= one->group->ranks) return NCCL_INVALID_ARGUMENT;
  return begin(call, stream);
}

// Whatever is sent within the group has been sent by now.
API int ncclGroupEnd(void) {
  if (open_group.depth == 0) return NCCL_INVALID_USAGE;
  if (--open_group.depth) return NCCL_SUCCESS;
  size_t count = open_group.count, together = 0;
  open_group.count = 0;
  for (size_t i = 0; i < count; i++) {
    struct collective *call = &open_group.calls[i];
    struct group *group = call->communicator->group;
    if (group->remote) stand_in_await(call->stream, &group->results, call->number);
    else open_group.calls[together++] = *call;
  }
  return perform_all(open_group.calls, together);
}
