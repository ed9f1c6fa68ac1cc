// NCCL within one process: what DataParallel and torch.cuda.comm call, and groups of one rank.
//
// A group of several processes is refused, unless STAND_IN_ALIKE_RANKS says that the others do what
// this one does: then a call takes their part from its own. What is not here is refused. Types and numbers
// are those of nccl.h, which is not included because only PyTorch's own build needs that package.
#include "libraries.h"
#include <stdlib.h>
#include <string.h>

enum { NCCL_SUCCESS = 0, NCCL_SYSTEM_ERROR = 2, NCCL_INVALID_ARGUMENT = 4, NCCL_INVALID_USAGE = 5 };
enum reduction { SUM, PRODUCT, MAXIMUM, MINIMUM, AVERAGE };
enum type { INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16, TYPES };
static const size_t sizes[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

struct group {
  int ranks;
  bool alike;
};
struct communicator { struct group *group; int rank, device; };
struct collective {
  enum { BROADCAST, REDUCE, ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER } kind;
  struct communicator *communicator;
  const void *from;
  void *to;
  size_t count;
  enum type type;
  enum reduction reduction;
  int root;
  bool done;
};
typedef struct { char bytes[128]; } ncclUniqueId;

static __thread struct { int depth; struct collective *calls; size_t count, room; } open_group;

int stand_in_refused(const char *call, int status);

static struct communicator *join(struct group *group, int rank, int device) {
  struct communicator *new = malloc(sizeof *new);
  if (new) *new = (struct communicator){group, rank, device};
  return new;
}

API int ncclCommInitAll(struct communicator **communicators, int count, const int *devices) {
  struct group *group = malloc(sizeof *group);
  if (group == NULL || count < 1) return NCCL_INVALID_ARGUMENT;
  *group = (struct group){.ranks = count};
  for (int rank = 0; rank < count; rank++)
    if (!(communicators[rank] = join(group, rank, devices ? devices[rank] : rank)))
      return NCCL_SYSTEM_ERROR;
  return NCCL_SUCCESS;
}

static int join_others(struct communicator **communicator, int ranks, int rank, const char *call) {
  int device;
  if (ranks != 1 && !stand_in_has_alike_ranks()) return stand_in_refused(call, NCCL_INVALID_USAGE);
  if (cudaGetDevice(&device) != cudaSuccess) return NCCL_SYSTEM_ERROR;
  struct group *group = malloc(sizeof *group);
  if (group == NULL || !(*communicator = join(group, rank, device))) return NCCL_SYSTEM_ERROR;
  *group = (struct group){ranks, .alike = ranks > 1};
  return NCCL_SUCCESS;
}

API int ncclCommInitRank(struct communicator **communicator, int ranks, ncclUniqueId id, int rank) {
  (void)id;
  return join_others(communicator, ranks, rank, "ncclCommInitRank of several processes");
}

API int ncclCommInitRankConfig(struct communicator **communicator, int ranks, ncclUniqueId id,
                               int rank, void *config) {
  (void)id, (void)config;
  return join_others(communicator, ranks, rank, "ncclCommInitRankConfig of several processes");
}

API int ncclCommInitRankScalable(struct communicator **communicator, int ranks, int rank, int ids,
                                 void *id, void *config) {
  (void)ids, (void)id, (void)config;
  return join_others(communicator, ranks, rank, "ncclCommInitRankScalable of several processes");
}

// How many ranks have the same color is known to the others only: PyTorch does not ask.
API int ncclCommSplit(struct communicator *communicator, int color, int key,
                      struct communicator **part, void *config) {
  (void)key, (void)config;
  *part = NULL;
  if (color < 0) return NCCL_SUCCESS;
  return join_others(part, communicator->group->ranks, communicator->rank,
                     "ncclCommSplit of several processes");
}

// The group's own record stays: the other ranks may still use it.
API int ncclCommDestroy(struct communicator *communicator) {
  free(communicator);
  return NCCL_SUCCESS;
}

API int ncclCommAbort(struct communicator *communicator) { return ncclCommDestroy(communicator); }

API int ncclCommFinalize(struct communicator *communicator) {
  (void)communicator;
  return NCCL_SUCCESS;
}

API int ncclCommCount(const struct communicator *communicator, int *count) {
  *count = communicator->group->ranks;
  return NCCL_SUCCESS;
}

API int ncclCommUserRank(const struct communicator *communicator, int *rank) {
  *rank = communicator->rank;
  return NCCL_SUCCESS;
}

API int ncclCommGetAsyncError(struct communicator *communicator, int *error) {
  (void)communicator;
  *error = NCCL_SUCCESS;
  return NCCL_SUCCESS;
}

// Registered memory is copied without a detour; here nothing is on the way anyhow.
API int ncclCommRegister(struct communicator *communicator, void *buffer, size_t bytes, void **handle) {
  (void)communicator, (void)bytes;
  *handle = buffer;
  return NCCL_SUCCESS;
}

API int ncclCommDeregister(struct communicator *communicator, void *handle) {
  (void)communicator, (void)handle;
  return NCCL_SUCCESS;
}

static float of_bfloat16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return 0x7fc0;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;  // to the nearest, ties to even
}

#define PLAIN(x) (x)
#define COMBINE(stored, held, load, store)                                              \
  for (size_t i = 0; i < count; i++) {                                                  \
    held a = load(((stored *)into)[i]), b = load(((const stored *)from)[i]);            \
    a = reduction == PRODUCT ? a * b : reduction == MAXIMUM ? (b > a ? b : a)           \
        : reduction == MINIMUM ? (b < a ? b : a) : a + b;                               \
    ((stored *)into)[i] = store(a);                                                     \
  }                                                                                     \
  break;

static void combine(void *into, const void *from, size_t count, enum type type,
                    enum reduction reduction) {
  switch (type) {
    case INT8: COMBINE(int8_t, int8_t, PLAIN, PLAIN)
    case UINT8: COMBINE(uint8_t, uint8_t, PLAIN, PLAIN)
    case INT32: COMBINE(int32_t, int32_t, PLAIN, PLAIN)
    case UINT32: COMBINE(uint32_t, uint32_t, PLAIN, PLAIN)
    case INT64: COMBINE(int64_t, int64_t, PLAIN, PLAIN)
    case UINT64: COMBINE(uint64_t, uint64_t, PLAIN, PLAIN)
    case FLOAT16: COMBINE(_Float16, float, PLAIN, PLAIN)
    case FLOAT32: COMBINE(float, float, PLAIN, PLAIN)
    case FLOAT64: COMBINE(double, double, PLAIN, PLAIN)
    case BFLOAT16: COMBINE(uint16_t, float, of_bfloat16, to_bfloat16)
    default: break;
  }
}

// The calls of all ranks, which stand in their order.
static int perform_together(struct collective **calls, int ranks) {
  struct collective *first = calls[0];
  size_t part = first->count * sizes[first->type];
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
  char *sum = malloc(count * sizes[first->type] + 1);
  if (sum == NULL) return NCCL_SYSTEM_ERROR;
  memcpy(sum, first->from, count * sizes[first->type]);
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

// What the others send is what this rank would send in their place, so a sum is left as it is.
static int perform_as_the_others(const struct collective *call, cudaStream_t stream) {
  size_t part = call->type < TYPES ? call->count * sizes[call->type] : 0;
  int ranks = call->communicator->group->ranks, times = call->kind == ALL_GATHER ? ranks : 1;
  const char *from = call->from;
  if (call->kind == REDUCE_SCATTER) from += call->communicator->rank * part;
  for (int rank = 0; rank < times && from != call->to; rank++)
    if (cudaMemcpyAsync((char *)call->to + rank * part, from, part, cudaMemcpyDefault, stream))
      return NCCL_SYSTEM_ERROR;
  return stand_in_product(stream) ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

static int collect(struct collective call, const char *name, cudaStream_t stream) {
  enum cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) return NCCL_SYSTEM_ERROR;
  int ranks = call.communicator->group->ranks;
  if (call.communicator->group->alike) return perform_as_the_others(&call, stream);
  bool averages = call.reduction == AVERAGE && ranks > 1;
  if (status != cudaStreamCaptureStatusNone || call.type >= TYPES || call.reduction > AVERAGE ||
      averages || ranks > MAX_DEVICES)
    return stand_in_refused(name, NCCL_INVALID_USAGE);
  if (open_group.depth == 0) return perform_all(&call, 1);
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

API int ncclGroupStart(void) {
  open_group.depth++;
  return NCCL_SUCCESS;
}

API int ncclGroupEnd(void) {
  if (open_group.depth == 0) return NCCL_INVALID_USAGE;
  if (--open_group.depth) return NCCL_SUCCESS;
  size_t count = open_group.count;
  open_group.count = 0;
  return perform_all(open_group.calls, count);
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
  struct collective call = {REDUCE, one, from, to, count, type, reduction, root, false};
  return collect(call, "ncclReduce of this kind", stream);
}

API int ncclAllReduce(const void *from, void *to, size_t count, int type, int reduction,
                      struct communicator *one, cudaStream_t stream) {
  struct collective call = {ALL_REDUCE, one, from, to, count, type, reduction, 0, false};
  return collect(call, "ncclAllReduce of this kind", stream);
}

API int ncclReduceScatter(const void *from, void *to, size_t count, int type, int reduction,
                          struct communicator *one, cudaStream_t stream) {
  struct collective call = {REDUCE_SCATTER, one, from, to, count, type, reduction, 0, false};
  return collect(call, "ncclReduceScatter of this kind", stream);
}

API int ncclAllGather(const void *from, void *to, size_t count, int type, struct communicator *one,
                      cudaStream_t stream) {
  struct collective call = {.kind = ALL_GATHER, .communicator = one, .from = from, .to = to,
                      .count = count, .type = type};
  return collect(call, "ncclAllGather of this kind", stream);
}

// One of a pair that the other rank completes.
static int pass_on(struct communicator *one, cudaStream_t stream, const char *call) {
  if (!one->group->alike) return stand_in_refused(call, NCCL_INVALID_USAGE);
  return stand_in_product(stream) ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

API int ncclSend(const void *from, size_t count, int type, int peer, struct communicator *one,
                 cudaStream_t stream) {
  (void)from, (void)count, (void)type, (void)peer;
  return pass_on(one, stream, "ncclSend");
}

API int ncclRecv(void *to, size_t count, int type, int peer, struct communicator *one,
                 cudaStream_t stream) {
  (void)to, (void)count, (void)type, (void)peer;
  return pass_on(one, stream, "ncclRecv");
}
