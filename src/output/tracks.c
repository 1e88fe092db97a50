#include "output/tracks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/hdf5_write.h"
#include "output/tracks_private.h"

enum {
  OWN = 3, /* columns before those of cw_track_columns: step, id (integers), time */
  COLUMNS = OWN + CW_TRACK_COLUMNS,
  AT_ONCE = 1 << 18, /* values copied from the older file at a time */
  WAITING = 1 << 26, /* bytes that may wait in memory ... */
  SHARE = 4          /* ... or this share of the file, so that rewriting it stays cheap */
};

/* What waits of one species; column by column, values of 8 bytes. */
typedef struct species_tracks {
  int columns; /* 0: not tracked */
  char name[COLUMNS][CW_TRACK_NAME];
  int64_t kept; /* records of the file that stay */
  int64_t count, room;
  union {
    int64_t *integer;
    double *real;
  } column[COLUMNS];
} species_tracks;

struct cw_tracks {
  cw_context *context;
  const cw_deck *deck;
  char path[CW_PATH_SIZE];
  int changed;              /* the file does not hold what it should */
  int64_t waiting, written; /* bytes */
  species_tracks species[CW_DECK_MAX_SPECIES];
};

static int is_integer(int column) {
  return column < 2;
}

static void set_name(const cw_tracks *tracks, int s, int column, char name[CW_TRACK_SET]) {
  snprintf(name, CW_TRACK_SET, "tracks/%s/%s", tracks->deck->particles.species[s].label,
           tracks->species[s].name[column]);
}

/* ---- starting ---- */

/* Records up to step `after` stay; all columns must have as many. */
static cw_status keep_records(cw_tracks *tracks, int s, int64_t after) {
  species_tracks *of = &tracks->species[s];
  const char *label = tracks->deck->particles.species[s].label;
  int64_t all, *step;
  CW_TRY(cw_tracks_read_integers(tracks->context, tracks->path, label, "step", &all, &step));
  while (of->kept < all && step[of->kept] <= after)
    of->kept++;
  tracks->changed |= of->kept < all;
  CW_DELETE(tracks->context, step);
  tracks->written += 8 * of->columns * of->kept;
  for (int c = 0; c < of->columns; c++) {
    char name[CW_TRACK_SET];
    int64_t count = 0;
    cw_track_column column;
    set_name(tracks, s, c, name);
    const cw_status status =
        cw_track_column_open(tracks->context, tracks->path, name,
                             is_integer(c) ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, &column, &count);
    cw_track_column_close(&column);
    CW_TRY(status);
    if (count != all)
      return cw_fail(tracks->context, CW_ERROR_FORMAT,
                     "%s: data set '%s' has %lld values; the steps are %lld", tracks->path, name,
                     (long long)count, (long long)all);
  }
  return CW_OK;
}

static cw_status go_on(cw_tracks *tracks, int64_t after) {
  if (access(tracks->path, F_OK) != 0) {
    cw_log(tracks->context, CW_LOG_WARNING,
           "%s: is not there: the tracks begin with the step that the run goes on from",
           tracks->path);
    return CW_OK;
  }
  const cw_h5_silence silence = cw_h5_silence_begin();
  cw_status status = CW_OK;
  for (int s = 0; s < tracks->deck->particles.species_count && status == CW_OK; s++)
    if (tracks->species[s].columns)
      status = keep_records(tracks, s, after);
  cw_h5_silence_end(silence);
  return status == CW_ERROR_INPUT ? CW_ERROR_FORMAT : status;
}

cw_status cw_tracks_create(cw_context *context, const char *folder, const cw_deck *deck,
                           int64_t after, cw_tracks **tracks) {
  static const char *const own[OWN] = {"step", "id", "time"};
  cw_tracks *made = NULL;
  *tracks = NULL;
  CW_TRY(CW_NEW(context, 1, "tracks", &made));
  made->context = context;
  made->deck = deck;
  for (int s = 0; s < deck->particles.species_count; s++) {
    species_tracks *of = &made->species[s];
    if (!deck->particles.species[s].tracking)
      continue;
    for (int c = 0; c < OWN; c++)
      strcpy(of->name[c], own[c]);
    of->columns = OWN + cw_track_columns(deck, s, of->name + OWN);
  }
  cw_status status = cw_path_join(context, folder, "tracks.h5", made->path);
  if (status == CW_OK && after >= 0)
    status = go_on(made, after);
  if (status == CW_OK)
    *tracks = made;
  else
    CW_DELETE(context, made);
  return status;
}

/* ---- recording ---- */

static cw_status make_room(cw_tracks *tracks, species_tracks *of, int64_t count) {
  if (count <= of->room)
    return CW_OK;
  const int64_t room = cw_max_i64(count, of->room + of->room / 2 + 64);
  for (int c = 0; c < of->columns; c++) {
    double *grown = NULL;
    CW_TRY(CW_NEW(tracks->context, room, "tracks in memory", &grown));
    if (of->count)
      memcpy(grown, of->column[c].real, (size_t)of->count * 8);
    CW_DELETE(tracks->context, of->column[c].real);
    of->column[c].real = grown;
  }
  of->room = room;
  return CW_OK;
}

cw_status cw_tracks_append(cw_tracks *tracks, int s, int64_t step, double time,
                           const cw_tracked *tracked) {
  species_tracks *of = &tracks->species[s];
  const int64_t n = tracked->count;
  CW_TRY(make_room(tracks, of, of->count + n));
  for (int64_t k = 0; k < n; k++) {
    of->column[0].integer[of->count + k] = step;
    of->column[1].integer[of->count + k] = (int64_t)tracked->id[k];
    of->column[2].real[of->count + k] = time;
  }
  for (int c = OWN; c < of->columns && n > 0; c++)
    memcpy(of->column[c].real + of->count, tracked->value[c - OWN], (size_t)n * 8);
  of->count += n;
  tracks->changed = 1;
  tracks->waiting += 8 * of->columns * n;
  return tracks->waiting > cw_max_i64(WAITING, tracks->written / SHARE) ? cw_tracks_flush(tracks)
                                                                        : CW_OK;
}

/* ---- writing ---- */

static int write_part(hid_t set, hid_t space, hid_t type, int64_t first, int64_t count,
                      const void *values) {
  const hsize_t start = (hsize_t)first, length = (hsize_t)count;
  hid_t memory = H5Screate_simple(1, &length, NULL);
  int failed = memory < 0 ||
               H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL) < 0 ||
               H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) < 0;
  if (memory >= 0)
    H5Sclose(memory);
  return failed;
}

/* The records of the older file that stay. */
static cw_status copy_kept(const cw_tracks *tracks, const char *name, hid_t type, int64_t kept,
                           hid_t set, hid_t space) {
  cw_context *context = tracks->context;
  cw_track_column column;
  int64_t count;
  double *values = NULL;
  cw_status status = cw_track_column_open(context, tracks->path, name, type, &column, &count);
  if (status == CW_OK)
    status = CW_NEW(context, AT_ONCE, "tracks on their way", &values);
  if (status == CW_OK && count < kept)
    status = cw_fail(context, CW_ERROR_FORMAT, "%s: data set '%s' has become shorter", tracks->path,
                     name);
  for (int64_t first = 0; first < kept && status == CW_OK; first += AT_ONCE) {
    const int64_t n = cw_min_i64(AT_ONCE, kept - first);
    status = cw_track_column_read(context, tracks->path, name, &column, type, first, n, values);
    if (status == CW_OK && write_part(set, space, type, first, n, values))
      status = cw_h5_fail(context, tracks->path, "writing tracks");
  }
  CW_DELETE(context, values);
  cw_track_column_close(&column);
  return status;
}

static cw_status put_column(const cw_h5_out *out, const cw_tracks *tracks, hid_t file, hid_t links,
                            int s, int c) {
  const species_tracks *of = &tracks->species[s];
  const hid_t type = is_integer(c) ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  const hsize_t extent = (hsize_t)(of->kept + of->count);
  char name[CW_TRACK_SET];
  set_name(tracks, s, c, name);
  hid_t space = H5Screate_simple(1, &extent, NULL);
  hid_t set = space < 0 ? -1 : H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  cw_status status = set < 0 ? cw_h5_out_fail(out, "creating", name) : CW_OK;
  if (status == CW_OK && of->kept > 0)
    status = copy_kept(tracks, name, type, of->kept, set, space);
  if (status == CW_OK && of->count > 0 &&
      write_part(set, space, type, of->kept, of->count, of->column[c].real))
    status = cw_h5_out_fail(out, "writing", name);
  if (set >= 0 && H5Dclose(set) < 0 && status == CW_OK)
    status = cw_h5_out_fail(out, "closing", name);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

static cw_status put_all(const cw_h5_out *out, hid_t file, const void *user) {
  const cw_tracks *tracks = user;
  cw_status status = cw_h5_put_origin(out, file, tracks->deck);
  /* openPMD-viewer looks for iterations in every HDF5 file of a folder: here are none */
  hid_t iterations = H5Gcreate2(file, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (iterations < 0 && status == CW_OK)
    status = cw_h5_out_fail(out, "creating group", "data");
  if (iterations >= 0)
    H5Gclose(iterations);
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  if (links < 0 || H5Pset_create_intermediate_group(links, 1) < 0)
    status = cw_h5_out_fail(out, "creating", "a property list");
  for (int s = 0; s < tracks->deck->particles.species_count; s++)
    for (int c = 0; c < tracks->species[s].columns && status == CW_OK; c++)
      status = put_column(out, tracks, file, links, s, c);
  if (links >= 0)
    H5Pclose(links);
  return status;
}

cw_status cw_tracks_flush(cw_tracks *tracks) {
  cw_aside aside;
  const cw_h5_out out = {tracks->context, tracks->path};
  if (!tracks->changed)
    return CW_OK;
  CW_TRY(cw_aside_begin(tracks->context, tracks->path, &aside));
  const cw_h5_silence silence = cw_h5_silence_begin();
  cw_status status = cw_h5_write_part(&out, aside.part, 0, put_all, tracks);
  cw_h5_silence_end(silence);
  if (status != CW_OK) {
    cw_aside_abandon(&aside);
    return status;
  }
  CW_TRY(cw_aside_commit(tracks->context, &aside));
  for (int s = 0; s < tracks->deck->particles.species_count; s++) {
    tracks->species[s].kept += tracks->species[s].count;
    tracks->species[s].count = 0;
  }
  tracks->written += tracks->waiting;
  tracks->waiting = 0;
  tracks->changed = 0;
  return CW_OK;
}

cw_status cw_tracks_close(cw_tracks *tracks) {
  if (!tracks)
    return CW_OK;
  cw_context *context = tracks->context;
  const cw_status status = cw_tracks_flush(tracks);
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++)
    for (int c = 0; c < COLUMNS; c++)
      CW_DELETE(context, tracks->species[s].column[c].real);
  CW_DELETE(context, tracks);
  return status;
}
