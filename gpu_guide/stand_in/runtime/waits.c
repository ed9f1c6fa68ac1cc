// What streams and events wait for: messages of other processes, which come while the host goes on.
#include "streams.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ON_ITS_WAY = 1000 };  // looks, which take a quarter of a second
static const struct timespec BETWEEN = {.tv_nsec = 200000};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct waits of_default_stream[MAX_DEVICES], of_device[MAX_DEVICES];
static atomic_bool used;  // in most processes nothing ever waits

static struct waits *waits_of(cudaStream_t stream, int device) {
  struct stream *one = stream_of(stream);
  return one ? &one->waits : &of_default_stream[device];
}

static void add(struct waits *waits, struct source *source, unsigned long number) {
  for (size_t i = 0; i < waits->count; i++)
    if (waits->items[i].source == source) {
      if (waits->items[i].number < number) waits->items[i].number = number;
      return;
    }
  struct wait *more = realloc(waits->items, (waits->count + 1) * sizeof *more);
  if (more == NULL) give_up("stand-in: no memory left on the host for what a stream waits for");
  waits->items = more;
  waits->items[waits->count++] = (struct wait){source, number};
}

static bool have_come(struct waits *waits) {
  size_t left = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < waits->count; i++)
    if (!waits->items[i].source->has_come(waits->items[i].source, waits->items[i].number))
      waits->items[left++] = waits->items[i];
  waits->count = left;
  pthread_mutex_unlock(&lock);
  return left == 0;
}

static void wait_for(struct waits *waits) {
  while (!have_come(waits)) nanosleep(&BETWEEN, NULL);
}

bool is_settled(cudaStream_t stream, int device) {
  return !atomic_load(&used) || have_come(waits_of(stream, device));
}

// What has come for other streams is taken, too: on a GPU it would have been there when it came, and
// nothing may still write into memory that has been given back since.
void settle(cudaStream_t stream, int device) {
  if (!atomic_load(&used)) return;
  wait_for(waits_of(stream, device));
  have_come(&of_device[device]);
}

// Other threads of Python go on, as they do while PyTorch waits for a value of a real GPU: the
// watchdog takes Python's lock before it says what has not come. What CUDA is called for with one
// of PyTorch's own locks held does not ask for Python's here.
void settle_without_python(cudaStream_t stream, int device) {
  if (is_settled(stream, device)) {
    settle(stream, device);
    return;
  }
  int (*holds_python)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Check");
  void *(*leave_python)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
  void (*enter_python)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "PyEval_RestoreThread");
  void *python = holds_python && holds_python() ? leave_python() : NULL;
  settle(stream, device);
  if (python) enter_python(python);
}

// For who reads what a stream has written without launching a kernel in it.
API void stand_in_settle(cudaStream_t stream, int device) { settle_without_python(stream, device); }

void settle_device(int device) {
  if (atomic_load(&used)) wait_for(&of_device[device]);
}

void record_waits(struct event *event, cudaStream_t stream, int device) {
  if (!atomic_load(&used)) return;
  struct waits *waits = waits_of(stream, device);
  pthread_mutex_lock(&lock);
  event->waits.count = 0;
  for (size_t i = 0; i < waits->count; i++)
    add(&event->waits, waits->items[i].source, waits->items[i].number);
  pthread_mutex_unlock(&lock);
}

void wait_with(cudaStream_t stream, int device, const struct event *event) {
  if (!atomic_load(&used)) return;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < event->waits.count; i++)
    add(waits_of(stream, device), event->waits.items[i].source, event->waits.items[i].number);
  pthread_mutex_unlock(&lock);
}

bool has_happened(struct event *event) { return !atomic_load(&used) || have_come(&event->waits); }

void settle_event(struct event *event) {
  if (atomic_load(&used)) wait_for(&event->waits);
}

// What comes next in the stream waits for `number` of the source. The host waits right here where
// it is to see each error at its call, and in a dry run, whose memory must not depend on time; and
// for a moment in any case, in which a process that is on its way arrives.
API void stand_in_await(cudaStream_t stream, struct source *source, unsigned long number) {
  int device;
  struct stream *one = stream_of(stream);
  if (one) device = one->device;
  else if (current_device(&device)) return;
  atomic_store(&used, true);
  pthread_mutex_lock(&lock);
  add(waits_of(stream, device), source, number);
  add(&of_device[device], source, number);
  pthread_mutex_unlock(&lock);
  if (settings.alike || settings.blocking || (one && one->capture)) settle(stream, device);
  for (int left = ON_ITS_WAY; left > 0 && !is_settled(stream, device); left--) nanosleep(&BETWEEN, NULL);
}
