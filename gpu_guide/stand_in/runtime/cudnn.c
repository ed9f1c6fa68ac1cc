// cuDNN without a device: its own heuristics choose, and say how large a workspace has to be.
//
// Since 9.8 cuDNN plans for a GPU that is described to it and not there, which NVIDIA calls deviceless
// ahead-of-time compilation. PyTorch hands it a handle instead. So a handle of ours is left out
// wherever a plan is given one, and the description of the card is put in its place.
// Batch norm, recurrent layers and a few more are older than plans: their calls get the handle, and
// cuDNN's own code says how large a workspace they need, as it does on a GPU. Nothing is executed.
// Numbers are those of cudnn_graph.h, whose package PyTorch does not always install.
#include "libraries.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_NOT_INITIALIZED = 1001,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_ALLOC_FAILED = 4003,
  CUDNN_STATUS_EXECUTION_FAILED = 5000,
  CUDNN_STATUS_EXECUTION_FAILED_CUDART = 5003,
} cudnnStatus_t;
typedef void *cudnnBackendDescriptor_t;

// In a handle, cuDNN's own code reads what the GPU can do, and less than 512 bytes of it. All are 1, so
// each number is large, and the GPU can do everything. What cuDNN then says of workspaces is what it
// said on an H200, byte for byte (tests/stand_in/test_cudnn_workspaces.py): 9.13 and 9.20 were asked.
typedef struct { char read_by_cudnn[4096]; cudaStream_t stream; } *cudnnHandle_t;

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
typedef cudnnStatus_t (*sizes_t)(cudnnHandle_t handle, void *rnn, int forward, void *input,
                                 size_t *workspace, size_t *reserve);
typedef cudnnStatus_t (*dropout_t)(void *made, cudnnHandle_t handle, float share, void *states,
                                   size_t size, unsigned long long seed);

static struct {
  create_t create;
  finalize_t finalize;
  set_t set;
  sizes_t sizes;
  dropout_t dropout;
} own;
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
  own.sizes = (sizes_t)dlsym(library, "cudnnGetRNNTempSpaceSizes");
  own.dropout = (dropout_t)dlsym(library, "cudnnSetDropoutDescriptor");
  if (!own.create || !own.finalize || !own.set || !own.sizes || !own.dropout) return;
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
  *handle = malloc(sizeof **handle);
  if (*handle == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  memset((*handle)->read_by_cudnn, 1, sizeof (*handle)->read_by_cudnn);
  (*handle)->stream = NULL;
  return CUDNN_STATUS_SUCCESS;
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

API cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, void *rnn, int forward,
                                            void *input, size_t *workspace, size_t *reserve) {
  *workspace = SIZE_MAX;
  cudnnStatus_t status = own.sizes(handle, rnn, forward, input, workspace, reserve);
  // It says the sizes, then asks the CUDA runtime inside it, which finds no driver.
  if (status == CUDNN_STATUS_EXECUTION_FAILED_CUDART && *workspace != SIZE_MAX)
    return CUDNN_STATUS_SUCCESS;
  return status;
}

// The states of random numbers: 6,488,064 bytes on an H200, which has 132 multiprocessors. That is
// a curandState of 48 bytes for each of 1,024 threads on each of them. Assumed for other GPUs.
API cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *size) {
  (void)handle;
  int device, multiprocessors;
  if (cudaGetDevice(&device) ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device))
    return CUDNN_STATUS_EXECUTION_FAILED;
  *size = (size_t)multiprocessors * 1024 * 48;
  return CUDNN_STATUS_SUCCESS;
}

// With states, cuDNN would launch the kernel that seeds them.
API cudnnStatus_t cudnnSetDropoutDescriptor(void *made, cudnnHandle_t handle, float share,
                                            void *states, size_t size, unsigned long long seed) {
  (void)states, (void)size;
  return own.dropout(made, handle, share, NULL, 0, seed);
}

API cudnnStatus_t cudnnRestoreDropoutDescriptor(void *made, cudnnHandle_t handle, float share,
                                                void *states, size_t size,
                                                unsigned long long seed) {
  return cudnnSetDropoutDescriptor(made, handle, share, states, size, seed);
}

// What computes is a launch, and the kernel does nothing. So of its arguments only the handle counts.
#define EXECUTES(name)                                                                \
  API cudnnStatus_t name(cudnnHandle_t handle) {                                      \
    return stand_in_product(handle->stream) ? CUDNN_STATUS_EXECUTION_FAILED           \
                                            : CUDNN_STATUS_SUCCESS;                   \
  }

EXECUTES(cudnnBackendExecute)
EXECUTES(cudnnBatchNormalizationForwardTrainingEx)
EXECUTES(cudnnBatchNormalizationForwardInference)
EXECUTES(cudnnBatchNormalizationBackwardEx)
EXECUTES(cudnnRNNForward)
EXECUTES(cudnnRNNBackwardData_v8)
EXECUTES(cudnnRNNBackwardWeights_v8)
EXECUTES(cudnnCTCLoss)
EXECUTES(cudnnCTCLoss_v8)
EXECUTES(cudnnSpatialTfGridGeneratorForward)
EXECUTES(cudnnSpatialTfGridGeneratorBackward)
EXECUTES(cudnnSpatialTfSamplerForward)
EXECUTES(cudnnSpatialTfSamplerBackward)
