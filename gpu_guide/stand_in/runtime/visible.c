// Which devices a process sees, and the names that CUDA_VISIBLE_DEVICES knows them by.
#include "settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int visible_count;
static int visible[MAX_DEVICES];  // by number in this process: the number in the machine

int physical(int device) { return visible[device]; }

// The first byte tells one device from another, so that a short prefix is enough for
// CUDA_VISIBLE_DEVICES; the others say "stand-in GPU".
void fill_uuid(int physical_device, unsigned char bytes[16]) {
  memcpy(bytes, " stand-in GPU   ", 16);
  bytes[0] = 0xa0 + physical_device;
}

static void uuid_text(int physical_device, char text[41]) {
  unsigned char bytes[16];
  fill_uuid(physical_device, bytes);
  char *end = text + sprintf(text, "GPU-");
  for (int i = 0; i < 16; i++)
    end += sprintf(end, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
}

void bus_id(int physical_device, char *text, int length) {
  snprintf(text, length, "0000:%02X:00.0", physical_device + 1);
}

// The device that one entry of CUDA_VISIBLE_DEVICES names; -1 if it names none.
static int named(const char *entry) {
  if (strncasecmp(entry, "GPU-", 4) == 0) {
    int found = -1;
    for (int device = 0; device < settings.count; device++) {
      char text[41];
      uuid_text(device, text);
      if (strncasecmp(text, entry, strlen(entry))) continue;
      if (found >= 0) return -1;  // a prefix has to be that of one device
      found = device;
    }
    return found;
  }
  char *end;
  long number = strtol(entry, &end, 10);
  return end == entry || number < 0 || number >= settings.count ? -1 : (int)number;
}

// An entry that names no device ends the list; one that names a device twice leaves none.
void choose_visible(void) {
  const char *list = getenv("CUDA_VISIBLE_DEVICES");
  visible_count = 0;
  if (list == NULL) {
    for (; visible_count < settings.count; visible_count++) visible[visible_count] = visible_count;
    return;
  }
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", list);
  char *rest = copy;
  for (char *entry; (entry = strsep(&rest, ","));) {
    entry += strspn(entry, " \t");
    entry[strcspn(entry, " \t")] = '\0';
    int device = named(entry);
    if (device < 0) return;
    for (int i = 0; i < visible_count; i++)
      if (visible[i] == device) {
        visible_count = 0;
        return;
      }
    visible[visible_count++] = device;
  }
}
