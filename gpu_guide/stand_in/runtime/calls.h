// The calls of CUDA. Its own headers declare them; here is what the libraries need beyond them.
#pragma once
#include "streams.h"

// kernels.c: a call of cuBLAS that computes; what it returns is a status of cuBLAS.
API int stand_in_product(cudaStream_t stream);
