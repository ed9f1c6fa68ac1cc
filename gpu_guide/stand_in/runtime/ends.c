// A thread that asks for Python's lock while Python ends: it waits for ever, as from Python 3.14 on.
//
// Before, Python ends such a thread by pthread_exit, which unwinds PyTorch's threads of autograd
// through functions that must not throw, and the process aborts after all of its output
// (pytorch#38228). A stand-in is done with a backward pass so soon that this was seen often.
// It's in the library whose names have no versions: those of the other one would hide it from Python.
#define _GNU_SOURCE
#include "libraries.h"
#include <dlfcn.h>
#include <unistd.h>

typedef int (*is_finalizing_t)(void);
typedef void (*exit_t)(void *value) __attribute__((noreturn));

API void pthread_exit(void *value) {
  is_finalizing_t is_finalizing = (is_finalizing_t)dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
  if (!is_finalizing) is_finalizing = (is_finalizing_t)dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
  while (is_finalizing && is_finalizing()) pause();
  ((exit_t)dlsym(RTLD_NEXT, "pthread_exit"))(value);
}
