// Libraries on top of CUDA, linked apart from it.
#pragma once
#include "calls.h"

// cublas.c: the stream of a handle.
cudaStream_t stand_in_stream_of(void *handle);

// messages.c: between the processes of a group, each message with the number that both count.
bool has_messages(void);
bool introduce(const char *group, int rank);
bool send_message(const char *group, const char *kind, unsigned long number, int from, int to,
                  const void *bytes, size_t count);
enum arrival { NOT_YET, ARRIVED, NEVER };  // the last where the sender has ended
enum arrival take_message(const char *group, const char *kind, unsigned long number, int from, int to,
                          void *bytes, size_t count);
bool receive_message(const char *group, const char *kind, unsigned long number, int from, int to,
                     void *bytes, size_t count);  // waits for it

// reductions.c: numbers in the types of nccl.h, of which the last two, of 8 bits, are only sent.
enum reduction { SUM, PRODUCT, MAXIMUM, MINIMUM, AVERAGE, OWN };  // OWN and above: of the program
enum number { INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16, NUMBERS,
              ALL_NUMBERS = NUMBERS + 2 };
extern const size_t number_sizes[ALL_NUMBERS];
void combine(void *into, const void *from, size_t count, enum number type, enum reduction reduction);
void scale(void *numbers, size_t count, enum number type, double by);
double number_of(const void *number, enum number type);

// groups.c: who takes part.
enum { NCCL_SUCCESS = 0, NCCL_SYSTEM_ERROR = 2, NCCL_INVALID_ARGUMENT = 4, NCCL_INVALID_USAGE = 5,
       NCCL_REMOTE_ERROR = 6 };
struct group {
  struct source results;           // of the calls that were begun: the number of each is its place
  pthread_mutex_t lock;
  struct exchange *oldest, **newest;  // calls that are not complete
  unsigned long begun, complete;
  bool aborted;
  int error;                       // what ncclCommGetAsyncError says
  int ranks;
  bool remote;                     // its ranks are processes
  char name[64];                   // the same in all of them
  unsigned long calls, splits;     // how many there have been
  unsigned long *sent, *received;  // to and from each rank
};
struct communicator { struct group *group; int rank, device; };

// exchanges.c: a call among processes.
struct collective {
  enum { BROADCAST, REDUCE, ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, RECEIVE } kind;
  struct communicator *communicator;
  const void *from;
  void *to;
  size_t count;
  enum number type;
  enum reduction reduction;
  int root;  // or the peer
  bool done;
  cudaStream_t stream;
  unsigned long number;  // in its group; 0: there is nothing to wait for
};
int begin_among_processes(struct collective *call);
bool have_results_come(struct source *group, unsigned long number);
