// Numbers of each type of NCCL: their sizes, and what a reduction makes of them.
#include "libraries.h"
#include <string.h>

const size_t number_sizes[ALL_NUMBERS] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

static float of_bfloat16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return 0x7fc0;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;  // to the nearest, ties to even
}

#define PLAIN(x) (x)
#define COMBINE(stored, held, load, store)                                              \
  for (size_t i = 0; i < count; i++) {                                                  \
    held a = load(((stored *)into)[i]), b = load(((const stored *)from)[i]);            \
    a = reduction == PRODUCT ? a * b : reduction == MAXIMUM ? (b > a ? b : a)           \
        : reduction == MINIMUM ? (b < a ? b : a) : a + b;                               \
    ((stored *)into)[i] = store(a);                                                     \
  }                                                                                     \
  break;

#define SCALE(stored, load, store)                                                               \
  for (size_t i = 0; i < count; i++) ((stored *)into)[i] = store(load(((stored *)into)[i]) * by); \
  break;

void scale(void *into, size_t count, enum number type, double by) {
  switch (type) {
    case INT8: SCALE(int8_t, PLAIN, PLAIN)
    case UINT8: SCALE(uint8_t, PLAIN, PLAIN)
    case INT32: SCALE(int32_t, PLAIN, PLAIN)
    case UINT32: SCALE(uint32_t, PLAIN, PLAIN)
    case INT64: SCALE(int64_t, PLAIN, PLAIN)
    case UINT64: SCALE(uint64_t, PLAIN, PLAIN)
    case FLOAT16: SCALE(_Float16, PLAIN, PLAIN)
    case FLOAT32: SCALE(float, PLAIN, PLAIN)
    case FLOAT64: SCALE(double, PLAIN, PLAIN)
    case BFLOAT16: SCALE(uint16_t, of_bfloat16, to_bfloat16)
    default: break;
  }
}

void combine(void *into, const void *from, size_t count, enum number type,
             enum reduction reduction) {
  switch (type) {
    case INT8: COMBINE(int8_t, int8_t, PLAIN, PLAIN)
    case UINT8: COMBINE(uint8_t, uint8_t, PLAIN, PLAIN)
    case INT32: COMBINE(int32_t, int32_t, PLAIN, PLAIN)
    case UINT32: COMBINE(uint32_t, uint32_t, PLAIN, PLAIN)
    case INT64: COMBINE(int64_t, int64_t, PLAIN, PLAIN)
    case UINT64: COMBINE(uint64_t, uint64_t, PLAIN, PLAIN)
    case FLOAT16: COMBINE(_Float16, float, PLAIN, PLAIN)
    case FLOAT32: COMBINE(float, float, PLAIN, PLAIN)
    case FLOAT64: COMBINE(double, double, PLAIN, PLAIN)
    case BFLOAT16: COMBINE(uint16_t, float, of_bfloat16, to_bfloat16)
    default: break;
  }
}

double number_of(const void *number, enum number type) {
  switch (type) {
    case FLOAT16: return *(const _Float16 *)number;
    case FLOAT32: return *(const float *)number;
    case FLOAT64: return *(const double *)number;
    case BFLOAT16: return of_bfloat16(*(const uint16_t *)number);
    default: return 1;
  }
}
