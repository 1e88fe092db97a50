#include "cli/coordination_run.h"

#include <string.h>

/* Frames read and not yet computed. */
typedef struct batch {
  cw_frame *frames;        /* [capacity] */
  int64_t *steps, *behind; /* [capacity]; behind: frames of the file up to this one */
  int count;
} batch;

/* The reading side: the trajectory holds a frame that is not taken yet, if `more`. */
typedef struct source {
  cw_coordination_run *run;
  int64_t number; /* of the frame that the trajectory holds */
  int more, capacity;
  cw_status status;
} source;

static cw_status create_batch(cw_context *context, int capacity, int64_t atoms, batch *b) {
  CW_TRY(CW_NEW(context, capacity, "frames", &b->frames));
  CW_TRY(CW_NEW(context, capacity, "frames", &b->steps));
  CW_TRY(CW_NEW(context, capacity, "frames", &b->behind));
  for (int k = 0; k < capacity; k++) {
    b->frames[k].atoms = atoms;
    CW_TRY(CW_NEW(context, 3 * atoms, "frames", &b->frames[k].position));
  }
  return CW_OK;
}

static void destroy_batch(cw_context *context, int capacity, batch *b) {
  for (int k = 0; b->frames && k < capacity; k++)
    CW_DELETE(context, b->frames[k].position);
  CW_DELETE(context, b->frames);
  CW_DELETE(context, b->steps);
  CW_DELETE(context, b->behind);
}

/* A failure ends the frames; those read before are still worked at. */
static void read_batch(source *s, batch *b) {
  const cw_coordination_run *run = s->run;
  b->count = 0;
  while (b->count < s->capacity && s->more && s->status == CW_OK && !*run->interrupted) {
    if (s->number % run->every == 0) {
      const cw_frame *from = &run->trajectory->frame;
      cw_frame *to = &b->frames[b->count];
      memcpy(to->position, from->position, (size_t)(3 * from->atoms) * sizeof *to->position);
      to->box = from->box;
      b->behind[b->count] = s->number + 1;
      b->steps[b->count++] = run->initial_step + s->number * run->stride;
    }
    s->number++;
    s->status = cw_trajectory_next(run->trajectory, &s->more);
  }
}

/* Gives the frames slots; those that need no work get none. */
static cw_status assign(cw_coordination_run *run, const batch *b, int *frame_of, int *slots) {
  *slots = 0;
  for (int k = 0; k < b->count; k++) {
    int needed;
    CW_TRY(cw_analysis_begin(run->analysis, *slots, b->steps[k], &needed));
    run->done += !needed;
    if (needed)
      frame_of[(*slots)++] = k;
  }
  return CW_OK;
}

static cw_status write_batch(cw_coordination_run *run, const batch *b, const int *frame_of,
                             int slots) {
  for (int k = 0; k < slots; k++) {
    int frame = frame_of[k];
    CW_TRY(cw_analysis_write(run->analysis, k));
    run->done++;
    CW_TRY(run->after(run->user, b->steps[frame], run->done, b->behind[frame]));
  }
  return CW_OK;
}

static cw_status loop(source *s, batch batches[2], int *frame_of) {
  cw_coordination_run *run = s->run;
  batch *now = &batches[0], *then = &batches[1];
  read_batch(s, now);
  while (now->count > 0) {
    int slots = 0;
    CW_TRY(assign(run, now, frame_of, &slots));
#pragma omp parallel num_threads(s->capacity) if (s->capacity > 1)
    {
#pragma omp single nowait
      read_batch(s, then);
#pragma omp for schedule(dynamic, 1)
      for (int k = 0; k < slots; k++)
        cw_analysis_compute(run->analysis, k, &now->frames[frame_of[k]]);
    }
    CW_TRY(write_batch(run, now, frame_of, slots));
    batch *other = now;
    now = then;
    then = other;
  }
  return CW_OK;
}

cw_status cw_coordination_run_frames(cw_coordination_run *run) {
  cw_context *context = run->input->context;
  source s = {.run = run, .more = 1, .capacity = cw_analysis_slots(run->analysis)};
  batch batches[2] = {{0}};
  int *frame_of = NULL;
  cw_status status;
  CW_TRY_CLEANUP(status, create_batch(context, s.capacity, run->input->atoms, &batches[0]));
  CW_TRY_CLEANUP(status, create_batch(context, s.capacity, run->input->atoms, &batches[1]));
  CW_TRY_CLEANUP(status, CW_NEW(context, s.capacity, "frames", &frame_of));
  CW_TRY_CLEANUP(status, loop(&s, batches, frame_of));
  status = s.status;
  if (status == CW_OK && *run->interrupted)
    status = cw_fail(context, CW_ERROR_INTERRUPTED, "interrupted after %lld frames",
                     (long long)run->done);
  if (status == CW_OK)
    status = cw_analysis_finish(run->analysis);
cleanup:
  destroy_batch(context, s.capacity, &batches[0]);
  destroy_batch(context, s.capacity, &batches[1]);
  CW_DELETE(context, frame_of);
  return status;
}
