#include "kernels/deposit/deposit_fit.h"

#include "base/context_private.h"
#include "base/device.h"
#include "base/tile_edges.h"
#include "kernels/deposit/deposit_scratch.h"

size_t cw_deposit_least_arena(const cw_deposit_options *options, int dim, cw_precision precision,
                              int tile) {
  const int is_double = precision == CW_DOUBLE;
  const int fixed = options->method == CW_DEPOSIT_TILED_FIXED;
  const int runs =
      options->path != CW_DEPOSIT_PATH_SCALAR && cw_deposit_has_runs(dim, options->order);
  if (options->method == CW_DEPOSIT_FLAT)
    return 0;
  const int margin = cw_deposit_margin(options->order, options->drift, runs);
  const cw_deposit_arena arena = {
      .dim = dim,
      .order = options->order,
      .margin = margin,
      .value = cw_deposit_value_bytes(dim, options->order, is_double, fixed,
                                      runs ? options->scratch_bits : 64),
      .stage = runs ? cw_deposit_stage_bytes(dim, options->order, is_double ? 8 : 4) : 0,
      .warps = 1,
      .components = runs ? CW_DEPOSIT_COMPONENTS : 1,
      .pad = runs ? cw_deposit_pad(dim, options->order, tile + margin) : 0};
  return cw_deposit_arena_bytes(&arena, tile) + (runs ? CW_DEPOSIT_OWN_SHARED : 0);
}

typedef struct fit_case {
  const cw_deposit_options *options;
  int dim;
  cw_precision precision;
} fit_case;

static size_t arena_of_tile(const void *user, int tile) {
  const fit_case *c = user;
  return cw_deposit_least_arena(c->options, c->dim, c->precision, tile);
}

cw_status cw_deposit_check_tile(cw_context *context, const cw_deposit_options *options, int dim,
                                cw_precision precision, int tile) {
  const cw_device_properties *device = cw_device_opened(context);
  const fit_case c = {options, dim, precision};
  char fitting[64];
  if (!device || arena_of_tile(&c, tile) <= device->shared_per_block)
    return CW_OK;
  cw_tile_edges_that_fit(device->shared_per_block, arena_of_tile, &c, fitting, sizeof fitting);
  return cw_fail(context, CW_ERROR_ARGUMENT,
                 "a tile of edge %d needs %zu bytes of shared memory (%dD, shape order %d, %s "
                 "precision, drift %d); %s has %zu a team; tile edges that fit: %s",
                 tile, arena_of_tile(&c, tile), dim, options->order, cw_precision_name(precision),
                 options->drift, device->name, device->shared_per_block, fitting);
}
