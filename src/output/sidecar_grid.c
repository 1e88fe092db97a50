/* XDMF of one file: a mesh with its records, or points with theirs. Names in these files are letters,
 * digits and _, so nothing needs to be quoted. */
#include "output/sidecar_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const axes[3] = {"x", "y", "z"};

/* One file being described. */
typedef struct describing {
  cw_context *context;
  const char *path, *link;
  int64_t step;
  double time;
  FILE *stream;
  int dim;           /* of the mesh, once it is written */
  hsize_t extent[3]; /* of all its records */
  int failed;
} describing;

static int is_group(hid_t object) {
  return H5Iget_type(object) == H5I_GROUP;
}

/* Extent of a data set of at most three axes; its rank, or 0. */
static int extent_of(hid_t set, hsize_t extent[3]) {
  hid_t space = H5Iget_type(set) == H5I_DATASET ? H5Dget_space(set) : -1;
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
  if (rank < 1 || rank > 3 || H5Sget_simple_extent_dims(space, extent, NULL) != rank)
    rank = 0;
  if (space >= 0)
    H5Sclose(space);
  return rank;
}

static int get_doubles(hid_t object, const char *name, int count, double *values) {
  hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  const int ok = space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
                 H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
  if (space >= 0)
    H5Sclose(space);
  if (attribute >= 0)
    H5Aclose(attribute);
  return ok;
}

static void put_extent(FILE *stream, const hsize_t *extent, int rank, const char *more) {
  for (int a = 0; a < rank; a++)
    fprintf(stream, "%s%llu", a ? " " : "", (unsigned long long)extent[a]);
  fputs(more, stream);
}

/* The <DataItem> of a data set below the iteration's group. */
static void put_item(describing *job, hid_t set, const char *where) {
  hsize_t extent[3];
  const int rank = extent_of(set, extent);
  hid_t type = rank ? H5Dget_type(set) : -1;
  if (type < 0) {
    job->failed = 1;
    return;
  }
  fputs("<DataItem Dimensions=\"", job->stream);
  put_extent(job->stream, extent, rank, "\"");
  fprintf(job->stream,
          " NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">%s:/data/%" PRId64 "/%s"
          "</DataItem>\n",
          H5Tget_class(type) == H5T_FLOAT ? "Float" : "UInt", (int)H5Tget_size(type), job->link,
          job->step, where);
  H5Tclose(type);
}

/* x, y and z of a group as one array of vectors. */
static void put_joined(describing *job, hid_t group, const char *where, const hsize_t *extent,
                       int rank) {
  fputs("<DataItem ItemType=\"Function\" Function=\"JOIN($0, $1, $2)\" Dimensions=\"", job->stream);
  put_extent(job->stream, extent, rank, " 3\">\n");
  for (int c = 0; c < 3; c++) {
    char name[200];
    hid_t set =
        H5Lexists(group, axes[c], H5P_DEFAULT) > 0 ? H5Oopen(group, axes[c], H5P_DEFAULT) : -1;
    snprintf(name, sizeof name, "%.180s/%s", where, axes[c]);
    if (set >= 0)
      put_item(job, set, name);
    job->failed |= set < 0;
    if (set >= 0)
      H5Oclose(set);
  }
  fputs("</DataItem>\n", job->stream);
}

/* Every value fills a cell from its node on: ParaView draws fields of a Yee grid on one mesh. */
static void put_mesh(describing *job, hid_t mesh, const hsize_t *extent, int rank) {
  double origin[3], spacing[3];
  hsize_t nodes[3];
  if (!get_doubles(mesh, "gridGlobalOffset", rank, origin) ||
      !get_doubles(mesh, "gridSpacing", rank, spacing)) {
    job->failed = 1;
    return;
  }
  if (rank == 1) { /* a strip, one cell high */
    origin[1] = origin[0], spacing[1] = spacing[0], nodes[1] = extent[0] + 1;
    origin[0] = 0, nodes[0] = 2;
  }
  for (int a = 0; a < rank && rank > 1; a++)
    nodes[a] = extent[a] + 1;
  const int drawn = rank == 1 ? 2 : rank;
  fprintf(job->stream, "<Topology TopologyType=\"%dDCoRectMesh\" Dimensions=\"", drawn);
  put_extent(job->stream, nodes, drawn, "\"/>\n");
  fprintf(job->stream, "<Geometry GeometryType=\"%s\">\n",
          drawn == 2 ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ");
  for (int k = 0; k < 2; k++) {
    fprintf(job->stream,
            "<DataItem Dimensions=\"%d\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">",
            drawn);
    for (int a = 0; a < drawn; a++)
      fprintf(job->stream, "%s%.17g", a ? " " : "", k ? spacing[a] : origin[a]);
    fputs("</DataItem>\n", job->stream);
  }
  fputs("</Geometry>\n", job->stream);
  job->dim = rank;
  memcpy(job->extent, extent, sizeof job->extent);
}

static herr_t put_record(hid_t fields, const char *name, const H5L_info_t *info, void *user) {
  (void)info;
  describing *job = user;
  char where[200];
  hsize_t extent[3] = {0, 0, 0};
  hid_t record = H5Oopen(fields, name, H5P_DEFAULT);
  hid_t first = record >= 0 && is_group(record) ? H5Oopen(record, "x", H5P_DEFAULT) : -1;
  const int vector = first >= 0, rank = extent_of(vector ? first : record, extent);
  if (rank && !job->dim)
    put_mesh(job, record, extent, rank);
  if (!rank || rank != job->dim || memcmp(extent, job->extent, sizeof extent) != 0)
    job->failed = 1;
  if (!job->failed) {
    snprintf(where, sizeof where, "fields/%.180s", name);
    fprintf(job->stream, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Cell\">\n", name,
            vector ? "Vector" : "Scalar");
    if (vector)
      put_joined(job, record, where, extent, rank);
    else
      put_item(job, record, where);
    fputs("</Attribute>\n", job->stream);
  }
  if (first >= 0)
    H5Oclose(first);
  if (record >= 0)
    H5Oclose(record);
  return job->failed;
}

/* Places as one array an axis; a line of particles lies on y = 0. */
static void put_places(describing *job, hid_t species, const char *name) {
  int dim = 0;
  char where[200];
  hid_t position = H5Oopen(species, "position", H5P_DEFAULT);
  while (position >= 0 && dim < 3 && H5Lexists(position, axes[dim], H5P_DEFAULT) > 0)
    dim++;
  fprintf(job->stream, "<Geometry GeometryType=\"%s\">\n", dim == 3 ? "X_Y_Z" : "X_Y");
  for (int a = 0; a < (dim == 1 ? 2 : dim); a++) {
    hsize_t extent[3];
    const char *axis = axes[a < dim ? a : 0];
    hid_t set = H5Oopen(position, axis, H5P_DEFAULT);
    const int rank = set >= 0 ? extent_of(set, extent) : 0;
    if (a >= dim && rank) {
      fputs("<DataItem ItemType=\"Function\" Function=\"$0 - $0\" Dimensions=\"", job->stream);
      put_extent(job->stream, extent, rank, "\">\n");
    }
    snprintf(where, sizeof where, "particles/%.150s/position/%s", name, axis);
    put_item(job, set, where);
    if (a >= dim && rank)
      fputs("</DataItem>\n", job->stream);
    if (set >= 0)
      H5Oclose(set);
  }
  fputs("</Geometry>\n", job->stream);
  job->failed |= dim == 0;
  if (position >= 0)
    H5Oclose(position);
}

static void put_scalar(describing *job, hid_t species, const char *name, const char *record) {
  char where[200];
  hid_t set = H5Oopen(species, record, H5P_DEFAULT);
  fprintf(job->stream, "<Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\">\n",
          record);
  snprintf(where, sizeof where, "particles/%.150s/%s", name, record);
  put_item(job, set, where);
  fputs("</Attribute>\n", job->stream);
  if (set >= 0)
    H5Oclose(set);
}

static herr_t put_species(hid_t particles, const char *name, const H5L_info_t *info, void *user) {
  (void)info;
  describing *job = user;
  hsize_t extent[3] = {0, 0, 0};
  char where[200];
  hid_t species = H5Oopen(particles, name, H5P_DEFAULT);
  hid_t id = species >= 0 ? H5Oopen(species, "id", H5P_DEFAULT) : -1;
  hid_t momentum = species >= 0 ? H5Oopen(species, "momentum", H5P_DEFAULT) : -1;
  job->failed |= id < 0 || momentum < 0 || extent_of(id, extent) != 1;
  if (!job->failed && extent[0] > 0) {
    fprintf(job->stream,
            "<Grid Name=\"%s\" GridType=\"Uniform\">\n<Topology TopologyType=\"Polyvertex\" "
            "NumberOfElements=\"%llu\"/>\n",
            name, (unsigned long long)extent[0]);
    put_places(job, species, name);
    fputs("<Attribute Name=\"momentum\" AttributeType=\"Vector\" Center=\"Node\">\n", job->stream);
    snprintf(where, sizeof where, "particles/%.150s/momentum", name);
    put_joined(job, momentum, where, extent, 1);
    fputs("</Attribute>\n", job->stream);
    put_scalar(job, species, name, "weighting");
    put_scalar(job, species, name, "id");
    fputs("</Grid>\n", job->stream);
  }
  if (momentum >= 0)
    H5Oclose(momentum);
  if (id >= 0)
    H5Oclose(id);
  if (species >= 0)
    H5Oclose(species);
  return job->failed;
}

static void put_all(describing *job, hid_t file, cw_series series) {
  const int fields = series == CW_SERIES_FIELDS;
  char where[80];
  snprintf(where, sizeof where, "data/%" PRId64, job->step);
  hid_t iteration = H5Gopen2(file, where, H5P_DEFAULT);
  hid_t group =
      iteration >= 0 ? H5Gopen2(iteration, fields ? "fields" : "particles", H5P_DEFAULT) : -1;
  job->failed = group < 0 || !get_doubles(iteration, "time", 1, &job->time);
  fprintf(job->stream,
          "<Grid Name=\"step %" PRId64 "\" GridType=\"%s\">\n<Time Value=\"%.17g\"/>\n", job->step,
          fields ? "Uniform" : "Collection\" CollectionType=\"Spatial", job->time);
  if (!job->failed)
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, fields ? put_record : put_species, job);
  fputs("</Grid>\n", job->stream);
  if (group >= 0)
    H5Gclose(group);
  if (iteration >= 0)
    H5Gclose(iteration);
}

cw_status cw_sidecar_put_grid(cw_context *context, const char *path, const char *link,
                              cw_series series, int64_t step, FILE *stream) {
  describing job = {.context = context, .path = path, .link = link, .step = step, .stream = stream};
  cw_h5_silence silence = cw_h5_silence_begin();
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  cw_status status = CW_OK;
  if (file < 0)
    status = cw_h5_fail(context, path, "opening the file for its sidecar");
  else
    put_all(&job, file, series);
  if (status == CW_OK && job.failed)
    status = cw_fail(context, CW_ERROR_FORMAT,
                     "%.300s: is no file of %s as cellwise writes them; its sidecar cannot name it",
                     path, cw_series_names[series]);
  if (file >= 0)
    H5Fclose(file);
  cw_h5_silence_end(silence);
  return status;
}
