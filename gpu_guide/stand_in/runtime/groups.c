// Groups of NCCL: within one process, or of several, which then find each other by messages.
//
// Types and numbers are those of nccl.h, which is not included because only PyTorch's own build needs
// that package.
#include "libraries.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct { char bytes[128]; } ncclUniqueId;

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

static int join_others(struct communicator **communicator, int ranks, int rank, const char *name,
                       const char *call) {
  int device;
  if (ranks != 1 && !has_messages()) return stand_in_refused(call, NCCL_INVALID_USAGE);
  if (cudaGetDevice(&device) != cudaSuccess) return NCCL_SYSTEM_ERROR;
  struct group *group = calloc(1, sizeof *group);
  if (group == NULL || !(*communicator = join(group, rank, device))) return NCCL_SYSTEM_ERROR;
  group->results.has_come = have_results_come;
  pthread_mutex_init(&group->lock, NULL);
  group->newest = &group->oldest;
  group->ranks = ranks;
  group->remote = ranks > 1;
  snprintf(group->name, sizeof group->name, "%s", name);
  if (!group->remote) return NCCL_SUCCESS;
  group->sent = calloc(2 * ranks, sizeof *group->sent);
  if (group->sent == NULL || !introduce(name, rank)) return NCCL_SYSTEM_ERROR;
  group->received = group->sent + ranks;
  return NCCL_SUCCESS;
}

// All ranks are given the same id, and no other group is.
static void name_of(char name[64], const ncclUniqueId *id) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < sizeof id->bytes; i++) hash = (hash ^ (uint8_t)id->bytes[i]) * 1099511628211u;
  snprintf(name, 64, "%016llx", (unsigned long long)hash);
}

API int ncclCommInitRank(struct communicator **communicator, int ranks, ncclUniqueId id, int rank) {
  char name[64];
  name_of(name, &id);
  return join_others(communicator, ranks, rank, name, "ncclCommInitRank of several processes");
}

API int ncclCommInitRankConfig(struct communicator **communicator, int ranks, ncclUniqueId id,
                               int rank, void *config) {
  char name[64];
  (void)config;
  name_of(name, &id);
  return join_others(communicator, ranks, rank, name, "ncclCommInitRankConfig of several processes");
}

API int ncclCommInitRankScalable(struct communicator **communicator, int ranks, int rank, int ids,
                                 const ncclUniqueId *id, void *config) {
  char name[64];
  (void)ids, (void)config;
  name_of(name, id);
  return join_others(communicator, ranks, rank, name, "ncclCommInitRankScalable of several processes");
}

// Each rank tells the others its color, and those of one color are a group.
API int ncclCommSplit(struct communicator *communicator, int color, int key,
                      struct communicator **part, void *config) {
  struct group *whole = communicator->group;
  int own[2] = {color, key}, rank = 0, ranks = 0;
  char name[64];
  (void)config;
  *part = NULL;
  unsigned long number = whole->splits++;
  for (int other = 0; whole->remote && other < whole->ranks; other++)
    if (other != communicator->rank &&
        !send_message(whole->name, "split", number, communicator->rank, other, own, sizeof own))
      return NCCL_SYSTEM_ERROR;
  for (int other = 0; other < whole->ranks; other++) {
    int said[2] = {color, key};
    if (other != communicator->rank && !receive_message(whole->name, "split", number, other,
                                                        communicator->rank, said, sizeof said))
      return NCCL_REMOTE_ERROR;
    if (said[0] != color) continue;
    ranks++;
    rank += said[1] < key || (said[1] == key && other < communicator->rank);
  }
  if (color < 0) return NCCL_SUCCESS;
  if (snprintf(name, sizeof name, "%.40s.%lu.%d", whole->name, number, color) >= 64)
    return NCCL_SYSTEM_ERROR;
  return join_others(part, ranks, rank, name, "ncclCommSplit of several processes");
}

// The group's own record stays: the other ranks may still use it.
API int ncclCommDestroy(struct communicator *communicator) {
  free(communicator);
  return NCCL_SUCCESS;
}

// Nobody waits any more for what has not come. PyTorch also aborts what was never made.
API int ncclCommAbort(struct communicator *communicator) {
  if (communicator == NULL) return NCCL_SUCCESS;
  communicator->group->aborted = true;
  return ncclCommDestroy(communicator);
}

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
  *error = communicator->group->error;
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
