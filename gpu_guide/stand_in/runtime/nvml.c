// NVML: what PyTorch asks of libnvidia-ml.so.1. It knows all devices, whatever a process sees.
#include "calls.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// From NVIDIA's NVML API Reference: nvmlReturn_t, nvmlGpuFabricInfo_v2_t, and
// nvmlProcessInfo_t in its second version.
enum { NVML_SUCCESS = 0, NVML_INVALID_ARGUMENT = 2, NVML_NOT_SUPPORTED = 3, NVML_NOT_FOUND = 6,
       NVML_INSUFFICIENT_SIZE = 7 };
struct fabric {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
  unsigned health;
};
struct process { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; };

static void *handle_of(int physical_device) { return (void *)(uintptr_t)(physical_device + 1); }

static int device_of(const void *handle) { return (int)(uintptr_t)handle - 1; }

API int nvmlInit_v2(void) {
  read_count();
  return NVML_SUCCESS;
}

API int nvmlInit(void) { return nvmlInit_v2(); }

API int nvmlShutdown(void) { return NVML_SUCCESS; }

API int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = settings.count;
  return NVML_SUCCESS;
}

API int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **handle) {
  if (number >= (unsigned)settings.count) return NVML_INVALID_ARGUMENT;
  *handle = handle_of(number);
  return NVML_SUCCESS;
}

API int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle) {
  unsigned domain, number, device;
  if (sscanf(bus, "%x:%x:%x", &domain, &number, &device) != 3) return NVML_INVALID_ARGUMENT;
  if (number < 1 || number > (unsigned)settings.count) return NVML_NOT_FOUND;
  *handle = handle_of(number - 1);
  return NVML_SUCCESS;
}

API int nvmlDeviceGetUUID(void *handle, char *text, unsigned length) {
  unsigned char b[16];
  fill_uuid(device_of(handle), b);
  int written = snprintf(
      text, length, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
      b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  return written < (int)length ? NVML_SUCCESS : NVML_INSUFFICIENT_SIZE;
}

API int nvmlSystemGetCudaDriverVersion_v2(int *version) {
  *version = settings.driver;
  return NVML_SUCCESS;
}

// This process and no other: the memory of other processes is not part of a stand-in GPU.
API int nvmlDeviceGetComputeRunningProcesses(void *handle, unsigned *count, struct process *found) {
  unsigned room = *count;
  *count = 0;
  for (int device = 0; device < visible_count; device++) {
    if (physical(device) != device_of(handle) || !has_context(device)) continue;
    *count = 1;
    if (room < 1) return NVML_INSUFFICIENT_SIZE;
    memset(found, 0, sizeof *found);
    found->pid = getpid();
    found->used = used_bytes(device);
    found->gpu_instance = found->compute_instance = 0xffffffff;
  }
  return NVML_SUCCESS;
}

// There are neither NVLinks nor a fabric between stand-in GPUs.
API int nvmlDeviceGetNvLinkRemoteDeviceType(void *handle, unsigned link, int *type) {
  (void)handle, (void)link, (void)type;
  return NVML_NOT_SUPPORTED;
}

API int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *handle, unsigned link, void *info) {
  (void)handle, (void)link, (void)info;
  return NVML_NOT_SUPPORTED;
}

API int nvmlDeviceGetGpuFabricInfoV(void *handle, struct fabric *info) {
  unsigned version = info->version;
  (void)handle;
  memset(info, 0, sizeof *info);  // a state of 0 is "not supported"
  info->version = version;
  return NVML_SUCCESS;
}
