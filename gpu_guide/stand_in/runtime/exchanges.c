// What a call of NCCL does among processes: each sends what the others need of it, and waits for them.
//
// With STAND_IN_ALIKE_RANKS, what is too large to be copied is not sent: the others hold there what
// this one holds.
#include "libraries.h"
#include <stdlib.h>
#include <string.h>

// A reduction of the program multiplies what each rank holds before it sums. The factor lies on the
// host or on the device, which is the same here.
static double factors[64];

API int ncclRedOpCreatePreMulSum(int *reduction, const void *factor, int type, int where,
                                 struct communicator *communicator) {
  static int made;
  (void)where, (void)communicator;
  int place = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % (int)(sizeof factors / sizeof *factors);
  factors[place] = number_of(factor, type);
  *reduction = OWN + place;
  return NCCL_SUCCESS;
}

API int ncclRedOpDestroy(int reduction, struct communicator *communicator) {
  (void)reduction, (void)communicator;
  return NCCL_SUCCESS;
}

// What the others hold is what this rank holds, so a sum is left as it is.
static int perform_as_the_others(const struct collective *call, cudaStream_t stream) {
  size_t part = call->count * number_sizes[call->type];
  int ranks = call->communicator->group->ranks;
  int times = call->kind == ALL_GATHER ? ranks : 1;
  const char *from = call->from;
  if (call->kind == REDUCE_SCATTER) from += call->communicator->rank * part;
  if (call->kind == ALL_TO_ALL) part *= ranks;
  for (int rank = 0; rank < times && from != call->to; rank++)
    if (cudaMemcpyAsync((char *)call->to + rank * part, from, part, cudaMemcpyDefault, stream))
      return NCCL_SYSTEM_ERROR;
  return NCCL_SUCCESS;
}

static bool gets_of(const struct collective *call, int rank, int other) {
  if (call->kind == BROADCAST) return other == call->root;
  return call->kind != REDUCE || rank == call->root;
}

// Where in what a rank gives the part of another one begins.
static size_t place(const struct collective *call, int rank) {
  bool parts = call->kind == REDUCE_SCATTER || call->kind == ALL_TO_ALL;
  return parts ? rank * call->count * number_sizes[call->type] : 0;
}

static void take_part(const struct collective *call, const char *part, int of, bool first) {
  size_t bytes = call->count * number_sizes[call->type];
  enum reduction reduction = call->reduction;
  switch (call->kind) {
    case BROADCAST:
      memmove(call->to, part, bytes);
      return;
    case ALL_GATHER: case ALL_TO_ALL:
      memmove((char *)call->to + of * bytes, part, bytes);
      return;
    default:
      if (first) memmove(call->to, part, bytes);
      else combine(call->to, part, call->count, call->type, reduction > MINIMUM ? SUM : reduction);
  }
}

// What this rank gives is sent first, so that no two wait for each other.
static int perform_with_the_others(const struct collective *call) {
  struct group *group = call->communicator->group;
  int own = call->communicator->rank;
  size_t bytes = call->count * number_sizes[call->type], parts = place(call, group->ranks);
  size_t all = parts ? parts : bytes;
  bool reduces = call->kind == REDUCE || call->kind == ALL_REDUCE || call->kind == REDUCE_SCATTER;
  unsigned long number = group->calls++;
  // What is given may be where the result goes.
  char *given = malloc(all + 1), *part = malloc(bytes + 1);
  if (given == NULL || part == NULL) return NCCL_SYSTEM_ERROR;
  memcpy(given, call->from, all);
  if (reduces && call->reduction >= OWN)
    scale(given, all / number_sizes[call->type], call->type, factors[call->reduction - OWN]);
  int error = NCCL_SUCCESS;
  for (int other = 0; !error && other < group->ranks; other++)
    if (other != own && gets_of(call, other, own) &&
        !send_message(group->name, "call", number, own, other, given + place(call, other), bytes))
      error = NCCL_SYSTEM_ERROR;
  bool first = true;
  for (int other = 0; !error && other < group->ranks; other++) {
    if (!gets_of(call, own, other)) continue;
    const char *from = given + place(call, own);
    if (other != own) {
      if (receive_message(group->name, "call", number, other, own, part, bytes)) from = part;
      else if (!stand_in_has_alike_ranks()) error = NCCL_REMOTE_ERROR;
    }
    if (!error) take_part(call, from, other, first);
    first = false;
  }
  if (!error && reduces && call->reduction == AVERAGE && gets_of(call, own, own))
    scale(call->to, call->count, call->type, 1.0 / group->ranks);
  free(given);
  free(part);
  return error;
}

int perform_among_processes(const struct collective *call, cudaStream_t stream) {
  struct group *group = call->communicator->group;
  if ((int)call->type >= ALL_NUMBERS) return NCCL_INVALID_ARGUMENT;
  size_t bytes = call->count * number_sizes[call->type];
  int error = stand_in_is_copied(place(call, group->ranks) + bytes)
                  ? perform_with_the_others(call)
                  : perform_as_the_others(call, stream);
  return error ? error : stand_in_product(stream) ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

int receive(const struct collective *call) {
  struct group *group = call->communicator->group;
  int own = call->communicator->rank, peer = call->root;
  size_t bytes = call->count * number_sizes[call->type];
  bool came = receive_message(group->name, "sent", group->received[peer]++, peer, own, call->to, bytes);
  return came || stand_in_has_alike_ranks() ? NCCL_SUCCESS : NCCL_REMOTE_ERROR;
}
