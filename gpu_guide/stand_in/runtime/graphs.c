// Graphs: nodes in the order in which they were captured, each with those that it waits for.
//
// Launching one does its copies, fills and calls of the host again. Its kernels do nothing, as ever.
#include "calls.h"
#include <stdlib.h>
#include <string.h>

static cudaError_t list(cudaGraphNode_t *out, size_t *count, cudaGraphNode_t *nodes, size_t there) {
  if (out == NULL) {
    *count = there;
    return cudaSuccess;
  }
  if (*count > there) *count = there;
  memcpy(out, nodes, *count * sizeof *out);
  return cudaSuccess;
}

API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  struct graph *one = (struct graph *)graph;
  return list(nodes, count, (cudaGraphNode_t *)one->nodes, one->count);
}

API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                             cudaGraphEdgeData *edges, size_t *count) {
  struct node *one = (struct node *)node;
  cudaError_t error = list(nodes, count, one->after.nodes, one->after.count);
  if (edges) memset(edges, 0, *count * sizeof *edges);
  return error;
}

// PyTorch adds empty nodes, as marks of where memory was freed.
API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 const cudaGraphEdgeData *edges, size_t count,
                                 struct cudaGraphNodeParams *parameters) {
  (void)edges;
  if (parameters->type != cudaGraphNodeTypeEmpty) {
    say("stand-in: cudaGraphAddNode of type %d is a call that the stand-in GPU does not answer",
        parameters->type);
    return done(cudaErrorNotSupported);
  }
  struct tail tail = {(cudaGraphNode_t *)after, count};
  *node = (cudaGraphNode_t)add_node((struct graph *)graph, (struct work){.kind = NOTHING}, &tail);
  return done(*node ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                              unsigned long long flags) {
  struct graph *from = (struct graph *)graph;
  (void)flags;
  cudaError_t error = ready();
  if (error) return done(error);
  struct graph *copy = new_graph();
  struct tail none = {NULL, 0};
  for (size_t i = 0; copy && i < from->count; i++) add_node(copy, from->nodes[i]->work, &none);
  if (copy && from->object_count) {
    copy->objects = malloc(from->object_count * sizeof *copy->objects);
    for (size_t i = 0; copy->objects && i < from->object_count; i++) {
      copy->objects[copy->object_count++] = from->objects[i];
      from->objects[i]->users++;
    }
  }
  *executable = (cudaGraphExec_t)copy;
  return done(copy && copy->count == from->count ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  struct graph *graph = (struct graph *)executable;
  int device;
  cudaError_t error = ready_with(stream, &device);
  for (size_t i = 0; !error && i < graph->count; i++)
    error = give_work(stream, graph->nodes[i]->work);
  return done(error);
}

API cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  int device;
  (void)executable;
  return done(ready_with(stream, &device));
}

API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                     unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

API cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                                     unsigned users, unsigned flags) {
  struct object *new = flags == cudaUserObjectNoDestructorSync && users ? malloc(sizeof *new) : NULL;
  if (new == NULL) return done(cudaErrorInvalidValue);
  *new = (struct object){destroy, data, users};
  *object = (cudaUserObject_t)new;
  return cudaSuccess;
}

API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  struct object *one = (struct object *)object;
  if (count == 0 || count > one->users) return done(cudaErrorInvalidValue);
  drop_users(one, count);
  return cudaSuccess;
}

API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                          unsigned flags) {
  struct graph *one = (struct graph *)graph;
  struct object **more = realloc(one->objects, (one->object_count + count) * sizeof *more);
  if (more == NULL) return done(cudaErrorMemoryAllocation);
  one->objects = more;
  for (unsigned i = 0; i < count; i++) one->objects[one->object_count++] = (struct object *)object;
  if (flags != cudaGraphUserObjectMove) ((struct object *)object)->users += count;
  return cudaSuccess;
}

API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  drop_graph((struct graph *)graph);
  return cudaSuccess;
}

API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  drop_graph((struct graph *)executable);
  return cudaSuccess;
}
