// What processes of a group send each other: a file for each message, in a folder in shared memory.
#include "libraries.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_WAIT 600  // seconds: as long as PyTorch's own watchdog waits for NCCL
static const struct timespec between = {.tv_nsec = 200000};

bool has_messages(void) {
  const char *folder = getenv("STAND_IN_MESSAGES");
  return folder && *folder;
}

static void file_name(char name[PATH_MAX], const char *words) {
  snprintf(name, PATH_MAX, "%s/%s", getenv("STAND_IN_MESSAGES"), words);
}

// A message is there as a whole or not at all.
static bool write_whole(const char *words, const void *bytes, size_t count) {
  char part[PATH_MAX], whole[PATH_MAX];
  file_name(whole, words);
  if (snprintf(part, sizeof part, "%s.part", whole) >= (int)sizeof part) return false;
  int file = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return false;
  size_t done = 0;
  while (done < count) {
    ssize_t wrote = write(file, (const char *)bytes + done, count - done);
    if (wrote < 0 && errno != EINTR) break;
    if (wrote > 0) done += wrote;
  }
  return !close(file) && done == count && !rename(part, whole);
}

static bool read_whole(const char *words, void *bytes, size_t count, bool keep) {
  char name[PATH_MAX];
  file_name(name, words);
  int file = open(name, O_RDONLY);
  if (file < 0) return false;
  size_t done = 0;
  while (done < count) {
    ssize_t got = read(file, (char *)bytes + done, count - done);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) done += got;
  }
  close(file);
  if (!keep) unlink(name);
  return true;
}

// Says which process a rank is, so that others do not wait for one that has ended.
bool introduce(const char *group, int rank) {
  char words[128];
  pid_t own = getpid();
  snprintf(words, sizeof words, "%s-rank%d", group, rank);
  return write_whole(words, &own, sizeof own);
}

static bool has_ended(const char *group, int rank) {
  char words[128];
  pid_t process = 0;
  snprintf(words, sizeof words, "%s-rank%d", group, rank);
  return read_whole(words, &process, sizeof process, true) && kill(process, 0) && errno == ESRCH;
}

static void message(char words[128], const char *group, const char *kind, unsigned long number,
                    int from, int to) {
  snprintf(words, 128, "%s-%s%lu-%d-%d", group, kind, number, from, to);
}

bool send_message(const char *group, const char *kind, unsigned long number, int from, int to,
                  const void *bytes, size_t count) {
  char words[128];
  message(words, group, kind, number, from, to);
  return write_whole(words, bytes, count);
}

enum arrival take_message(const char *group, const char *kind, unsigned long number, int from, int to,
                          void *bytes, size_t count) {
  char words[128];
  message(words, group, kind, number, from, to);
  if (read_whole(words, bytes, count, false)) return ARRIVED;
  if (!has_ended(group, from)) return NOT_YET;
  // Its last words may have come since.
  return read_whole(words, bytes, count, false) ? ARRIVED : NEVER;
}

bool receive_message(const char *group, const char *kind, unsigned long number, int from, int to,
                     void *bytes, size_t count) {
  struct timespec begun, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  do {
    enum arrival arrival = take_message(group, kind, number, from, to, bytes, count);
    if (arrival != NOT_YET) return arrival == ARRIVED;
    nanosleep(&between, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begun.tv_sec <= LONGEST_WAIT);
  return false;
}
