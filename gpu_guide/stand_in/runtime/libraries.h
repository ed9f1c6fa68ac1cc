// Libraries on top of CUDA, linked apart from it.
#pragma once
#include "calls.h"

// cublas.c: the stream of a handle.
cudaStream_t stand_in_stream_of(void *handle);
