// What happens when the library is loaded.
#include "calls.h"

__attribute__((constructor)) static void start(void) {
  read_settings();
  read_faults();
}
