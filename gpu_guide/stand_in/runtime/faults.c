// STAND_IN_FAULT="malloc=2@5..7,launch=700@3": calls that fail, by kind, CUDA error and number.
#include "errors.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FAULTS 32
static const char *const names[CALLS] = {"count", "init", "launch", "synchronize", "malloc", "copy"};
static struct { enum call call; int error; long first, last; } faults[MAX_FAULTS];
static int fault_count;
static atomic_long calls[CALLS];
static atomic_int late;  // the error of a kernel that the host has not heard of yet

static const char FORM[] = "write KIND=ERROR, KIND=ERROR@3 or KIND=ERROR@5..7 with the kinds count, "
                           "init, launch, synchronize, malloc, copy, and commas between several";

void read_faults(void) {
  const char *text = getenv("STAND_IN_FAULT");
  if (text == NULL || *text == '\0') return;
  char copy[1024];
  if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
    give_up("stand-in: STAND_IN_FAULT is longer than %zu characters", sizeof copy - 1);
  char *rest;
  for (char *part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
    char name[16], end;
    int error;
    long first = 1, last = 0;
    int fields = sscanf(part, "%15[a-z]=%d@%ld..%ld%c", name, &error, &first, &last, &end);
    bool well_formed = false;
    if (fields == 2) {
      last = __LONG_MAX__;
      char plain[32];
      snprintf(plain, sizeof plain, "%s=%d", name, error);
      well_formed = strcmp(plain, part) == 0;
    } else if (fields == 3) {
      last = first;
      char plain[64];
      snprintf(plain, sizeof plain, "%s=%d@%ld", name, error, first);
      well_formed = strcmp(plain, part) == 0;
    } else {
      well_formed = fields == 4;
    }
    enum call call = 0;
    while (well_formed && call < CALLS && strcmp(names[call], name)) call++;
    if (!well_formed || call == CALLS || error <= 0 || first < 1 || last < first)
      give_up("stand-in: STAND_IN_FAULT: %s: %s", part, FORM);
    if (fault_count == MAX_FAULTS)
      give_up("stand-in: STAND_IN_FAULT: more than %d faults", MAX_FAULTS);
    faults[fault_count].call = call;
    faults[fault_count].error = error;
    faults[fault_count].first = first;
    faults[fault_count++].last = last;
  }
}

// The error of this call of its kind, which is counted from 1.
cudaError_t fault(enum call call) {
  if (fault_count == 0) return cudaSuccess;
  long number = atomic_fetch_add(&calls[call], 1) + 1;
  for (int i = 0; i < fault_count; i++)
    if (faults[i].call == call && faults[i].first <= number && number <= faults[i].last)
      return faults[i].error;
  return cudaSuccess;
}

// Errors after which, driver_types.h says, the process has to be ended; and a failed assertion, of
// which it says that the memory of the device cannot be used any more.
bool ends_context(cudaError_t error) {
  switch (error) {
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

// What a kernel does wrong while it runs is known at the next synchronisation, or at once with
// CUDA_LAUNCH_BLOCKING=1; what keeps it from being started is known at once.
cudaError_t launched(void) {
  cudaError_t error = fault(LAUNCH);
  if (!ends_context(error)) return error;
  atomic_store(&late, error);
  return settings.blocking ? synchronized() : cudaSuccess;
}

cudaError_t synchronized(void) { return atomic_exchange(&late, cudaSuccess); }

// For code that knows what a kernel would have met, such as an index out of range.
API void stand_in_kernel_failed(int error) { atomic_store(&late, error); }
