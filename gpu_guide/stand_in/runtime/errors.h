// Errors: those that a call meets, and those that stay.
#pragma once
#include "settings.h"

// faults.c: errors that STAND_IN_FAULT asks for.
enum call { COUNT, INIT, LAUNCH, SYNCHRONIZE, MALLOC, COPY, CALLS };
void read_faults(void);
cudaError_t fault(enum call call);
cudaError_t launched(void);                  // the fault of one launch, which may come later
cudaError_t synchronized(void);              // what earlier launches left behind
bool ends_context(cudaError_t error);

// errors.c: the last error of a thread, and errors that a context never loses.
cudaError_t alive(void);               // before a call that only asks: CUDA has not been forked
cudaError_t ready(void);               // before any other: also the sticky error
cudaError_t done(cudaError_t error);   // after a call: remembers the error for cudaGetLastError
CUresult driver_result(cudaError_t error);
API int stand_in_refused(const char *call, int status);  // of a call that is not answered
