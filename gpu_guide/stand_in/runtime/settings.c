// Reads STAND_IN_* and what CUDA itself reads of the environment.
#include "settings.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings settings;

static void write_line(const char *format, va_list arguments) {
  char line[1024];
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  if (length > (int)sizeof line - 2) length = sizeof line - 2;
  line[length++] = '\n';
  // One write, so that the lines of two threads do not run into each other.
  if (write(STDERR_FILENO, line, length) < 0) return;
}

void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void trace(const char *format, ...) {
  if (!settings.log) return;
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void give_up(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  _exit(1);
}

static long whole_number(const char *name, long least, long most, long otherwise) {
  const char *text = getenv(name);
  if (text == NULL || *text == '\0') return otherwise;
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || *end || value < least || value > most)
    give_up("stand-in: %s=%s is not a whole number from %ld to %ld", name, text, least, most);
  return value;
}

void read_count(void) { settings.count = whole_number("STAND_IN_COUNT", 0, MAX_DEVICES, 1); }

// What a process may set in os.environ until it first uses CUDA, as with CUDA itself.
void read_at_first_use(void) {
  read_count();
  settings.blocking = whole_number("CUDA_LAUNCH_BLOCKING", 0, 1, 0);
}

void read_settings(void) {
  read_count();
  settings.memory = (size_t)whole_number("STAND_IN_MIB", 1024, 1 << 20, 16384) * MIB;
  settings.multiprocessors = whole_number("STAND_IN_MULTIPROCESSORS", 1, 1024, 80);
  settings.driver = whole_number("STAND_IN_DRIVER", 0, 99990, CUDART_VERSION);
  settings.runtime = CUDART_VERSION;
  settings.log = whole_number("STAND_IN_LOG", 0, 1, 0);
  settings.quiet = whole_number("STAND_IN_QUIET", 0, 1, 0);
  settings.alike = whole_number("STAND_IN_ALIKE_RANKS", 0, 1, 0);
  settings.largest_copy = whole_number("STAND_IN_LARGEST_COPY", 0, INT64_MAX, INT64_MAX);
  const char *text = getenv("STAND_IN_CAPABILITY");
  char rest;
  if (sscanf(text ? text : "9.0", "%d.%d%c", &settings.major, &settings.minor, &rest) != 2)
    give_up("stand-in: STAND_IN_CAPABILITY=%s is not like 8.9", text);
  text = getenv("STAND_IN_NAME");
  snprintf(settings.name, sizeof settings.name, "%s", text && *text ? text : "stand-in GPU");
}

// For the other library, which does not share the settings.
API bool stand_in_has_alike_ranks(void) { return settings.alike; }

API bool stand_in_is_copied(size_t bytes) { return bytes <= settings.largest_copy; }
