// What the environment says.
#pragma once
#include "stand_in.h"

#define NAME_LENGTH 256

// settings.c: read when the library is loaded, but for what CUDA reads when it is first used.
struct settings {
  int count;  // devices that are built in; how many a process sees is in visible.c
  size_t memory;
  int major, minor, multiprocessors;
  char name[NAME_LENGTH];
  int driver, runtime;  // 13000 is 13.0; a driver of 0 is none
  bool blocking;        // CUDA_LAUNCH_BLOCKING
  bool log, quiet;
  bool alike;           // ranks hold the same where nothing is copied, and when one has ended
  size_t largest_copy;  // bytes: larger copies are not done
};
extern struct settings settings;
void read_settings(void);
void read_at_first_use(void);
void read_count(void);
bool stand_in_has_alike_ranks(void);
bool stand_in_is_copied(size_t bytes);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

// visible.c: devices that a process sees; all numbers in other files count these.
extern int visible_count;
int physical(int device);
void choose_visible(void);
void fill_uuid(int physical_device, unsigned char bytes[16]);
void bus_id(int physical_device, char *text, int length);
