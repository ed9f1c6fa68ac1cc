// The nodes of a graph, and the objects of the program that live as long as it.
#include "streams.h"
#include <stdlib.h>

struct graph *new_graph(void) { return calloc(1, sizeof(struct graph)); }

struct node *add_node(struct graph *graph, struct work work, const struct tail *after) {
  if (graph->count == graph->room) {
    size_t more = graph->room ? 2 * graph->room : 64;
    struct node **grown = realloc(graph->nodes, more * sizeof *grown);
    if (grown == NULL) return NULL;
    graph->nodes = grown;
    graph->room = more;
  }
  struct node *node = calloc(1, sizeof *node);
  if (node == NULL) return NULL;
  node->work = work;
  set_tail(&node->after, after->nodes, after->count);
  return graph->nodes[graph->count++] = node;
}

// A node waits for older ones only, so one walk from the newest to the oldest finds them all.
void mark_before(struct graph *graph, const struct tail *tail) {
  for (size_t i = 0; i < tail->count; i++) ((struct node *)tail->nodes[i])->marked = true;
  for (size_t i = graph->count; i-- > 0;) {
    struct node *node = graph->nodes[i];
    for (size_t n = 0; node->marked && n < node->after.count; n++)
      ((struct node *)node->after.nodes[n])->marked = true;
  }
}

void drop_users(struct object *object, unsigned count) {
  if ((object->users -= count)) return;
  object->destroy(object->data);
  free(object);
}

void drop_graph(struct graph *graph) {
  for (size_t i = 0; i < graph->object_count; i++) drop_users(graph->objects[i], 1);
  free(graph->objects);
  for (size_t i = 0; i < graph->count; i++) {
    set_tail(&graph->nodes[i]->after, NULL, 0);
    free(graph->nodes[i]);
  }
  free(graph->nodes);
  free(graph);
}
