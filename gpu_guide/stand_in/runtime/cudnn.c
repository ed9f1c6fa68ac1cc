// cuDNN without a device: its own heuristics choose, and say how large a workspace has to be.
//
// Since 9.8 cuDNN plans for a GPU that is described to it and not there, which NVIDIA calls deviceless
// ahead-of-time compilation. PyTorch hands it a handle instead. So a handle of ours is left out
// wherever one is given, and the description of the card is put in its place. Plans are not executed.
// Numbers are those of cudnn_graph.h, whose package PyTorch does not always install.
#include "libraries.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_NOT_INITIALIZED = 1001,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_ALLOC_FAILED = 4003,
  CUDNN_STATUS_EXECUTION_FAILED = 5000,
} cudnnStatus_t;
typedef void *cudnnBackendDescriptor_t;
typedef struct { cudaStream_t stream; } *cudnnHandle_t;

enum attribute {
  ENGINEHEUR_OPERATION_GRAPH = 201,
  ENGINEHEUR_DEVICEPROP = 204,
  EXECUTION_PLAN_HANDLE = 400,
  EXECUTION_PLAN_DEVICEPROP = 407,
  OPERATIONGRAPH_HANDLE = 800,
  ENGINE_OPERATION_GRAPH = 1300,
  ENGINE_DEVICEPROP = 1307,
  DEVICEPROP_JSON_REPRESENTATION = 2702,
};
enum type { TYPE_BACKEND_DESCRIPTOR = 15, TYPE_CHAR = 24 };
enum { DEVICEPROP_DESCRIPTOR = 38 };

typedef cudnnStatus_t (*create_t)(int kind, cudnnBackendDescriptor_t *made);
typedef cudnnStatus_t (*finalize_t)(cudnnBackendDescriptor_t made);
typedef cudnnStatus_t (*set_t)(cudnnBackendDescriptor_t of, int attribute, int type, int64_t count,
                               const void *values);

static struct { create_t create; finalize_t finalize; set_t set; } own;
static cudnnBackendDescriptor_t card;
static cudnnStatus_t described;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The names are those that cuDNN 9.20 itself writes for a device.
static int describe(char *text, size_t room) {
  struct cudaDeviceProp p;
  int driver, device;
  if (cudaGetDevice(&device) || cudaGetDeviceProperties(&p, device)) return 0;
  cudaDriverGetVersion(&driver);
  return snprintf(
      text, room,
      "{\"deviceVer\":%d,\"driverVer\":%d,\"cudaDeviceId\":%d,\"totalGlobalMem\":%zu,"
      "\"maxGridSize\":[%d,%d,%d],\"maxBlockSize\":[%d,%d,%d],\"regsPerBlock\":%d,"
      "\"multiProcessorCount\":%d,\"warpSize\":%d,\"maxSharedMemoryPerBlock\":%zu,"
      "\"maxSharedMemoryPerBlockOptin\":%zu,\"reservedSharedMemoryPerBlock\":%zu,"
      "\"maxRegistersPerSM\":%d,\"maxCtasPerSM\":%d,\"maxThreadsPerBlock\":%d,"
      "\"maxThreadsPerSM\":%d,\"pciDeviceId\":0,\"isTccDriver\":0,\"supportCoopLaunch\":1,"
      "\"smClockRateKHz\":1500000,\"memClockRateKHz\":8000000,\"l2CacheSize\":%d,"
      "\"deviceName\":\"%s\"}",
      p.major * 100 + p.minor * 10, driver, device, p.totalGlobalMem, p.maxGridSize[0],
      p.maxGridSize[1], p.maxGridSize[2], p.maxThreadsDim[0], p.maxThreadsDim[1],
      p.maxThreadsDim[2], p.regsPerBlock, p.multiProcessorCount, p.warpSize, p.sharedMemPerBlock,
      p.sharedMemPerBlockOptin, p.reservedSharedMemPerBlock, p.regsPerMultiprocessor,
      p.maxBlocksPerMultiProcessor, p.maxThreadsPerBlock, p.maxThreadsPerMultiProcessor,
      p.l2CacheSize, p.name);
}

static void find_own(void) {
  char text[2048];
  void *library = dlopen("libcudnn.so.9", RTLD_LAZY);
  int length = describe(text, sizeof text);
  described = CUDNN_STATUS_NOT_INITIALIZED;
  if (library == NULL || length <= 0 || length >= (int)sizeof text) return;
  own.create = (create_t)dlsym(library, "cudnnBackendCreateDescriptor");
  own.finalize = (finalize_t)dlsym(library, "cudnnBackendFinalize");
  own.set = (set_t)dlsym(library, "cudnnBackendSetAttribute");
  if (!own.create || !own.finalize || !own.set) return;
  described = own.create(DEVICEPROP_DESCRIPTOR, &card);
  if (!described) described = own.set(card, DEVICEPROP_JSON_REPRESENTATION, TYPE_CHAR, length, text);
  if (!described) described = own.finalize(card);
}

API cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  // A handle needs a context, as cuDNN's own does.
  if (cudaFree(NULL) != cudaSuccess) return CUDNN_STATUS_NOT_INITIALIZED;
  pthread_once(&once, find_own);
  // A cuDNN that wants another description is one that does not plan here.
  if (described) return stand_in_refused(__func__, CUDNN_STATUS_NOT_SUPPORTED);
  *handle = calloc(1, sizeof **handle);
  return *handle ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

API cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream) {
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t set_card(cudnnBackendDescriptor_t of, enum attribute attribute) {
  return own.set(of, attribute, TYPE_BACKEND_DESCRIPTOR, 1, &card);
}

API cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t of, int attribute, int type,
                                           int64_t count, const void *values) {
  pthread_once(&once, find_own);
  if (described) return described;
  if (attribute == OPERATIONGRAPH_HANDLE) return CUDNN_STATUS_SUCCESS;
  if (attribute == EXECUTION_PLAN_HANDLE) return set_card(of, EXECUTION_PLAN_DEVICEPROP);
  cudnnStatus_t status = own.set(of, attribute, type, count, values);
  if (!status && attribute == ENGINEHEUR_OPERATION_GRAPH) return set_card(of, ENGINEHEUR_DEVICEPROP);
  if (!status && attribute == ENGINE_OPERATION_GRAPH) return set_card(of, ENGINE_DEVICEPROP);
  return status;
}

API cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                      cudnnBackendDescriptor_t given) {
  (void)plan, (void)given;
  return stand_in_product(handle->stream) ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}
