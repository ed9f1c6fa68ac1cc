// What a call of NCCL does among processes: each sends at once what the others need of it, and takes
// what they sent when it has come, while the host goes on.
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
static int perform_as_the_others(const struct collective *call) {
  size_t part = call->count * number_sizes[call->type];
  int ranks = call->communicator->group->ranks;
  int times = call->kind == ALL_GATHER ? ranks : 1;
  const char *from = call->from;
  if (call->kind == REDUCE_SCATTER) from += call->communicator->rank * part;
  if (call->kind == ALL_TO_ALL) part *= ranks;
  for (int rank = 0; rank < times && from != call->to && call->kind != RECEIVE; rank++)
    if (cudaMemcpyAsync((char *)call->to + rank * part, from, part, cudaMemcpyDefault, call->stream))
      return NCCL_SYSTEM_ERROR;
  return NCCL_SUCCESS;
}

static bool gets_of(const struct collective *call, int rank, int other) {
  if (call->kind == BROADCAST || call->kind == RECEIVE) return other == call->root;
  return call->kind != REDUCE || rank == call->root;
}

// Where in what a rank gives the part of another one begins.
static size_t place(const struct collective *call, int rank) {
  bool parts = call->kind == REDUCE_SCATTER || call->kind == ALL_TO_ALL;
  return parts ? rank * call->count * number_sizes[call->type] : 0;
}

static bool reduces(const struct collective *call) {
  return call->kind == REDUCE || call->kind == ALL_REDUCE || call->kind == REDUCE_SCATTER;
}

// A call of which something has not come. Its communicator may be destroyed meanwhile.
struct exchange {
  struct collective call;
  struct group *group;
  int own, next;              // ranks: this one, and the one whose part is taken next
  unsigned long message;
  bool first;
  char *given, *part;         // what this rank gives, since the result may go there; what comes
  struct exchange *after;
};

static void take_part(const struct exchange *one, const char *part) {
  const struct collective *call = &one->call;
  size_t bytes = call->count * number_sizes[call->type];
  enum reduction reduction = call->reduction;
  if (call->kind == ALL_GATHER || call->kind == ALL_TO_ALL)
    memmove((char *)call->to + one->next * bytes, part, bytes);
  else if (one->first || !reduces(call))
    memmove(call->to, part, bytes);
  else
    combine(call->to, part, call->count, call->type, reduction > MINIMUM ? SUM : reduction);
}

// Takes what has come, and says whether that is all.
static bool complete(struct exchange *one) {
  const struct collective *call = &one->call;
  struct group *group = one->group;
  size_t bytes = call->count * number_sizes[call->type];
  const char *kind = call->kind == RECEIVE ? "sent" : "call";
  for (; one->next < group->ranks; one->next++) {
    if (!gets_of(call, one->own, one->next)) continue;
    const char *from = one->given + place(call, one->own);
    if (one->next != one->own || call->kind == RECEIVE) {
      enum arrival arrival =
          take_message(group->name, kind, one->message, one->next, one->own, one->part, bytes);
      if (arrival == ARRIVED) from = one->part;
      else if (arrival == NOT_YET) return false;
      else if (!stand_in_has_alike_ranks()) {
        group->error = NCCL_REMOTE_ERROR;
        return false;
      }
    }
    if (from) take_part(one, from);
    one->first = false;
  }
  if (reduces(call) && call->reduction == AVERAGE && gets_of(call, one->own, one->own))
    scale(call->to, call->count, call->type, 1.0 / group->ranks);
  return true;
}

bool have_results_come(struct source *source, unsigned long number) {
  struct group *group = (struct group *)source;
  pthread_mutex_lock(&group->lock);
  while (group->complete < number && !group->aborted && complete(group->oldest)) {
    struct exchange *one = group->oldest;
    group->oldest = one->after;
    if (group->oldest == NULL) group->newest = &group->oldest;
    group->complete++;
    free(one->given);
    free(one->part);
    free(one);
  }
  bool come = group->complete >= number || group->aborted;
  pthread_mutex_unlock(&group->lock);
  return come;
}

// What this rank gives is sent at once, so that no two wait for each other.
static int send_parts(struct exchange *one) {
  const struct collective *call = &one->call;
  size_t bytes = call->count * number_sizes[call->type], parts = place(call, one->group->ranks);
  size_t all = parts ? parts : bytes;
  one->given = malloc(all + 1);
  if (one->given == NULL) return NCCL_SYSTEM_ERROR;
  memcpy(one->given, call->from, all);
  if (reduces(call) && call->reduction >= OWN)
    scale(one->given, all / number_sizes[call->type], call->type, factors[call->reduction - OWN]);
  for (int other = 0; other < one->group->ranks; other++)
    if (other != one->own && gets_of(call, other, one->own) &&
        !send_message(one->group->name, "call", one->message, one->own, other,
                      one->given + place(call, other), bytes))
      return NCCL_SYSTEM_ERROR;
  return NCCL_SUCCESS;
}

// What comes before it in its stream is done by now.
int begin_among_processes(struct collective *call) {
  struct group *group = call->communicator->group;
  if ((int)call->type >= ALL_NUMBERS) return NCCL_INVALID_ARGUMENT;
  size_t bytes = call->count * number_sizes[call->type];
  if (!stand_in_is_copied(place(call, group->ranks) + bytes)) return perform_as_the_others(call);
  struct exchange *one = malloc(sizeof *one);
  if (one == NULL) return NCCL_SYSTEM_ERROR;
  *one = (struct exchange){.call = *call, .group = group, .own = call->communicator->rank,
                           .first = true, .part = malloc(bytes + 1)};
  if (one->part == NULL) return NCCL_SYSTEM_ERROR;
  one->message = call->kind == RECEIVE ? group->received[call->root]++ : group->calls++;
  int error = call->kind == RECEIVE ? NCCL_SUCCESS : send_parts(one);
  if (error) return error;
  pthread_mutex_lock(&group->lock);
  *group->newest = one;
  group->newest = &one->after;
  call->number = ++group->begun;
  pthread_mutex_unlock(&group->lock);
  return NCCL_SUCCESS;
}
