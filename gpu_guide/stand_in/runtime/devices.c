// Devices: what they say of themselves, and their contexts.
#include "machine.h"
#include <stdio.h>
#include <string.h>

// The memory that a context takes on its device. On hardware it depends on card, driver and on the
// kernels that are loaded; NVIDIA documents no figure. This one is chosen, and the same everywhere.
#define CONTEXT_BYTES (512 * MIB)

static __thread int current;
static bool contexts[MAX_DEVICES], peers[MAX_DEVICES][MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool exists(int device) {
  alive();  // which devices are visible is settled when CUDA is first used
  return 0 <= device && device < visible_count;
}

bool has_context(int device) { return contexts[device]; }

static cudaError_t with_context(int device) {
  if (visible_count == 0) return cudaErrorNoDevice;
  pthread_mutex_lock(&lock);
  cudaError_t error = cudaSuccess;
  if (!contexts[device] && !(error = fault(INIT))) {
    if (take(device, CONTEXT_BYTES)) contexts[device] = true;
    else error = cudaErrorMemoryAllocation;
    trace("stand-in: context on device %d: %s", device, cudaGetErrorName(error));
  }
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t current_device(int *device) {
  *device = current;
  return cudaSuccess;
}

cudaError_t ready_on(int *device) {
  *device = current;
  cudaError_t error = ready();
  return error ? error : with_context(current);
}

API cudaError_t cudaGetDeviceCount(int *count) {
  cudaError_t error = alive();
  if (!error) error = fault(COUNT);
  if (!error && settings.driver < settings.runtime / 1000 * 1000) error = cudaErrorInsufficientDriver;
  if (!error && visible_count == 0) error = cudaErrorNoDevice;
  *count = error ? 0 : visible_count;
  return done(error);
}

// Answers after a context has failed, too: PyTorch's device guards ask it where nothing may throw.
API cudaError_t cudaGetDevice(int *device) {
  alive();
  *device = current;
  return done(visible_count ? cudaSuccess : cudaErrorNoDevice);
}

// Since CUDA 12 this makes the device's context, too.
API cudaError_t cudaSetDevice(int device) {
  cudaError_t error = ready();
  if (!error && !exists(device)) error = visible_count ? cudaErrorInvalidDevice : cudaErrorNoDevice;
  if (!error && !(error = with_context(device))) current = device;
  return done(error);
}

API cudaError_t cudaDriverGetVersion(int *version) {
  *version = settings.driver;
  return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = settings.runtime;
  return cudaSuccess;
}

// What the CUDA C++ Programming Guide lists per compute capability ("Technical Specifications").
static const struct limits {
  int capability, threads, blocks, shared_kib, shared_block_kib;
} known[] = {
    {50, 2048, 32, 64, 48},    {52, 2048, 32, 96, 48},    {60, 2048, 32, 64, 48},
    {61, 2048, 32, 96, 48},    {70, 2048, 32, 96, 96},    {75, 1024, 16, 64, 64},
    {80, 2048, 32, 164, 163},  {86, 1536, 16, 100, 99},   {89, 1536, 24, 100, 99},
    {90, 2048, 32, 228, 227},  {100, 2048, 32, 228, 227}, {103, 2048, 32, 228, 227},
    {120, 1536, 24, 100, 99},  {121, 1536, 24, 100, 99},
};

static struct limits limits(void) {
  int capability = settings.major * 10 + settings.minor;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].capability == capability) return known[i];
  give_up("stand-in: nothing is known of compute capability %d.%d: add it to devices.c",
          settings.major, settings.minor);
}

API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  cudaError_t error = alive();
  if (!error && !exists(device)) error = cudaErrorInvalidDevice;
  if (error) return done(error);
  struct limits of = limits();
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", settings.name);
  fill_uuid(physical(device), (unsigned char *)p->uuid.bytes);
  p->totalGlobalMem = settings.memory;
  p->major = settings.major;
  p->minor = settings.minor;
  p->multiProcessorCount = settings.multiprocessors;
  p->maxThreadsPerMultiProcessor = of.threads;
  p->maxBlocksPerMultiProcessor = of.blocks;
  p->sharedMemPerMultiprocessor = of.shared_kib * 1024;
  p->sharedMemPerBlockOptin = of.shared_block_kib * 1024;
  p->sharedMemPerBlock = 48 * 1024;
  p->reservedSharedMemPerBlock = settings.major >= 8 ? 1024 : 0;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->memPitch = 2147483647;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->concurrentManagedAccess = 1;  // as on Linux
  p->streamPrioritiesSupported = p->cooperativeLaunch = p->memoryPoolsSupported = 1;
  p->hostRegisterSupported = p->canUseHostPointerForRegisteredMem = 1;
  p->clusterLaunch = settings.major >= 9;
  p->asyncEngineCount = 2;
  p->pciBusID = physical(device) + 1;
  p->memoryBusWidth = 256;
  p->l2CacheSize = 32 * MIB;
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  struct cudaDeviceProp p;
  cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error) return error;
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = p.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = p.sharedMemPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = p.reservedSharedMemPerBlock; break;
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrTextureAlignment: *value = p.textureAlignment; break;
    case cudaDevAttrUnifiedAddressing: *value = p.unifiedAddressing; break;
    case cudaDevAttrConcurrentKernels: *value = p.concurrentKernels; break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrMemoryPoolsSupported: *value = p.memoryPoolsSupported; break;
    case cudaDevAttrHostRegisterSupported: *value = p.hostRegisterSupported; break;
    case cudaDevAttrCanMapHostMemory: *value = p.canMapHostMemory; break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      *value = p.canUseHostPointerForRegisteredMem;
      break;
    case cudaDevAttrManagedMemory: *value = p.managedMemory; break;
    case cudaDevAttrConcurrentManagedAccess: *value = p.concurrentManagedAccess; break;
    case cudaDevAttrPageableMemoryAccess: *value = 0; break;
    case cudaDevAttrIntegrated: *value = 0; break;
    // Triton asks for them before it launches, and nothing here depends on them; in kHz.
    case cudaDevAttrClockRate: *value = 1500000; break;
    case cudaDevAttrMemoryClockRate: *value = 8000000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrPciBusId: *value = p.pciBusID; break;
    case cudaDevAttrPciDeviceId: *value = p.pciDeviceID; break;
    case cudaDevAttrPciDomainId: *value = p.pciDomainID; break;
    default:
      say("stand-in: cudaDeviceGetAttribute: attribute %d is unknown to the stand-in GPU", attribute);
      return done(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  if (!exists(device)) return done(cudaErrorInvalidDevice);
  bus_id(physical(device), text, length);
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!exists(device) || !exists(peer)) return done(cudaErrorInvalidDevice);
  *can = device != peer;
  return cudaSuccess;
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  int device;
  cudaError_t error = ready_on(&device);
  if (error) return done(error);
  if (!exists(peer) || peer == device || flags) return done(cudaErrorInvalidDevice);
  if (peers[device][peer]) return done(cudaErrorPeerAccessAlreadyEnabled);
  peers[device][peer] = true;
  return cudaSuccess;
}
