/* The moment form on tiles of AMX (matrix_tile.h): rows of A are moments, its depth are particles.
 *
 * A BF16 number keeps 8 bits, so a number x of 24 is the sum of three parts x0 + x1 + x2, rounded
 * one behind the other, and of the nine products of parts the six that are not below 2^-24 of the
 * first stand for a b. A particle fills both depths of a lane, so that a product of depth 32 takes
 * 16 particles, and three such products do all:
 *
 *     A  (a1, a0)   (a1, a0)   (a2, a0)      lower, upper half of a lane
 *     B  (b0, b0)   (b1, b1)   (b0, b2)
 *
 *                                       lanes: columns  M00 M01 .. M22 Jx Jy Jz rho
 *     CIC: 3 tiles of 9 rows, x_i times (y, z)    C0
 *     TSC: 5 times 2 tiles of 13 rows, the 25     C1
 *     (y, z) and one row of zeros                 C2
 *
 * A scalar matrix has one column, which would leave 15 lanes empty: the moments along x become its
 * columns, and those of the other axes stay the rows. A slab's loop over its bins:
 *
 *   for each batch of a bin's particles
 *     for each group of tiles whose sums fit in the registers
 *       for each step, 16 particles
 *         factors and columns of this step             massmatrix_cell.h, once a step
 *         A of this step, between the products of the step before
 *         B of this step                               once a step
 *
 * Registers, whose numbers must be literals: sums 0 to 2, A 3 to 5, B 6 and 7. */

enum {
  AMX_LANES = CW_TILE_AMX_LANES,
  AMX_STEPS = BATCH / AMX_LANES,
  AMX_GROUP = 3,   /* tiles of sums in registers */
  AMX_ROWS = 130,  /* rows of all tiles, at most */
  AMX_PRODUCTS = 3 /* that stand for one */
};

_Static_assert(LANES == CW_TILE_AMX_LANES, "a vector of particles fills a step");

typedef struct cw_mm_amx_scratch {
  uint32_t A[2][2][AMX_GROUP * CW_TILE_AMX_ROWS][AMX_LANES]; /* of two steps */
  uint32_t B[AMX_STEPS][AMX_PRODUCTS][CW_TILE_AMX_ROWS][AMX_LANES];
  float sums[LANES][AMX_ROWS][AMX_LANES]; /* of LANES bins: rows of C */
  float none[AMX_ROWS][AMX_LANES];        /* of an empty bin: stays zero */
  cw_lane moment[LANES][MAX_MOMENTS];     /* of as many columns: LANES bins */
  cw_scratch particles;
} cw_mm_amx_scratch;

/* A form's product: for each of `slow` moments along x, `parts` tiles of `height` rows, and `wide`
 * columns. */
typedef struct cw_mm_amx_shape {
  int plane, slow, parts, height, wide;
} cw_mm_amx_shape;

CW_BODY cw_mm_amx_shape cw_mm_amx_get_shape(int dim, int order, int columns) {
  const int K = 2 * order + 1, x = dim == 3 ? K : 1;
  cw_mm_amx_shape shape = {.plane = dim == 1 ? K : K * K};
  shape.slow = columns == 1 ? 1 : x;
  shape.wide = columns == 1 ? x : columns;
  shape.parts = (shape.plane + CW_TILE_AMX_ROWS - 1) / CW_TILE_AMX_ROWS;
  shape.height = (shape.plane + shape.parts - 1) / shape.parts;
  return shape;
}

/* The registers' sizes, as the processor reads them. */
CW_BODY void cw_mm_amx_configure(int height) {
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } layout = {.palette = 1};
  for (int t = 0; t < 8; t++) {
    layout.row_bytes[t] = AMX_LANES * sizeof(uint32_t);
    layout.rows[t] = (uint8_t)(t < 2 * AMX_GROUP ? height : CW_TILE_AMX_ROWS);
  }
  _tile_loadconfig(&layout);
}

/* The upper halves of the lanes of `upper`, below them those of `lower`. */
CW_BODY __m512i cw_mm_amx_halves(__m512 upper, __m512 lower) {
  const __m512i top = _mm512_set1_epi32((int)0xffff0000);
  const __m512i below = _mm512_srli_epi32(_mm512_castps_si512(lower), 16);
  return _mm512_ternarylogic_epi32(below, _mm512_castps_si512(upper), top,
                                   0xd8); /* top ? upper : below */
}

/* The nearest value of 8 bits. */
CW_BODY __m512 cw_mm_amx_nearest(__m512 x) {
  const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32((int)0xffff0000);
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), top));
}

/* part[0] + part[1] + part[2] = x, each of 8 bits. Parts are rounded: those cut off would have the
 * sign of x, and what the products leave out would be a bias. */
CW_BODY void cw_mm_amx_split(__m512 x, __m512 part[3]) {
  part[0] = cw_mm_amx_nearest(x);
  const __m512 rest = _mm512_sub_ps(x, part[0]);
  part[1] = cw_mm_amx_nearest(rest);
  part[2] = _mm512_sub_ps(rest, part[1]);
}

/* A of step `step`: rows [begin, end) of the tiles from `first` on. */
CW_BODY void cw_mm_amx_form_rows(cw_mm_amx_shape shape, int first, int begin, int end, int step,
                                 cw_mm_amx_scratch *s) {
  const cw_scratch *from = &s->particles;
  const int at = step * AMX_LANES, rows = shape.parts * shape.height; /* of a moment along x */
  for (int r = begin; r < end; r++) {
    __m512 x = _mm512_loadu_ps(from->rest[r % rows] + at), part[3];
    if (shape.slow > 1)
      x = _mm512_mul_ps(x, _mm512_loadu_ps(from->slow[first / shape.parts + r / rows] + at));
    cw_mm_amx_split(x, part);
    _mm512_store_si512(s->A[step % 2][0][r], cw_mm_amx_halves(part[0], part[1]));
    _mm512_store_si512(s->A[step % 2][1][r], cw_mm_amx_halves(part[0], part[2]));
  }
}

/* Column c of four particles, zeros behind the last column. */
CW_BODY __m128 cw_mm_amx_column(float (*column)[BATCH], int c, int wide, int at) {
  return c < wide ? _mm_loadu_ps(column[c] + at) : _mm_setzero_ps();
}

/* Four vectors of 4 x 4 blocks, each block transposed. */
CW_BODY void cw_mm_amx_transpose(__m512 *four) {
  const __m512 low01 = _mm512_unpacklo_ps(four[0], four[1]);
  const __m512 high01 = _mm512_unpackhi_ps(four[0], four[1]);
  const __m512 low23 = _mm512_unpacklo_ps(four[2], four[3]);
  const __m512 high23 = _mm512_unpackhi_ps(four[2], four[3]);
  four[0] = _mm512_shuffle_ps(low01, low23, 0x44);
  four[1] = _mm512_shuffle_ps(low01, low23, 0xee);
  four[2] = _mm512_shuffle_ps(high01, high23, 0x44);
  four[3] = _mm512_shuffle_ps(high01, high23, 0xee);
}

/* B of step `step`: columns with particles in the lanes become particles with columns in the lanes,
 * four particles at a time. */
CW_BODY void cw_mm_amx_form_columns(float (*column)[BATCH], int wide, int step,
                                    cw_mm_amx_scratch *s) {
  for (int p = 0; p < AMX_LANES; p += 4) {
    const int at = step * AMX_LANES + p;
    __m512 x[4], part[3];
    for (int i = 0; i < 4; i++) { /* block j: column 4 j + i */
      x[i] = _mm512_castps128_ps512(cw_mm_amx_column(column, i, wide, at));
      x[i] = _mm512_insertf32x4(x[i], cw_mm_amx_column(column, 4 + i, wide, at), 1);
      x[i] = _mm512_insertf32x4(x[i], cw_mm_amx_column(column, 8 + i, wide, at), 2);
      x[i] = _mm512_insertf32x4(x[i], cw_mm_amx_column(column, 12 + i, wide, at), 3);
    }
    cw_mm_amx_transpose(x);
    for (int i = 0; i < 4; i++) {
      cw_mm_amx_split(x[i], part);
      _mm512_store_si512(s->B[step][0][p + i], cw_mm_amx_halves(part[0], part[0]));
      _mm512_store_si512(s->B[step][1][p + i], cw_mm_amx_halves(part[1], part[1]));
      _mm512_store_si512(s->B[step][2][p + i], cw_mm_amx_halves(part[2], part[0]));
    }
  }
}

/* A of a step's products: tiles lie one behind the other. */
CW_BODY void cw_mm_amx_load_rows(int tiles, int height, uint32_t (*A)[AMX_LANES]) {
  _tile_loadd(3, A, sizeof *A);
  if (tiles > 1)
    _tile_loadd(4, A + height, sizeof *A);
  if (tiles > 2)
    _tile_loadd(5, A + 2 * height, sizeof *A);
}

/* Product number `number` of tile t: before it, a share of the rows of the next step's A. */
#define CW_MM_AMX_PRODUCT(number, t, A, B)                                                         \
  do {                                                                                             \
    const int begin = ((number)*tiles + (t)) * share, end = begin + share;                         \
    if ((t) < tiles && forms)                                                                      \
      cw_mm_amx_form_rows(shape, first, begin, end < rows ? end : rows, step, s);                  \
    if ((t) < tiles && multiplies)                                                                 \
      _tile_dpbf16ps(t, A, B);                                                                     \
  } while (0)

/* Forms A of step `step` and multiplies that of the step before: the processor runs products and
 * vector instructions side by side only where they alternate. */
CW_BODY void cw_mm_amx_step(cw_mm_amx_shape shape, int first, int tiles, int step, int forms,
                            int multiplies, cw_mm_amx_scratch *s) {
  const int64_t row = sizeof s->B[0][0][0];
  const int rows = tiles * shape.height, products = AMX_PRODUCTS * tiles;
  const int share = (rows + products - 1) / products, before = step - 1;
  __asm__ volatile("" ::: "memory"); /* not all compilers know that loads of tiles read memory */
  if (multiplies) {
    _tile_loadd(6, s->B[before][0], row);
    cw_mm_amx_load_rows(tiles, shape.height, s->A[before % 2][0]);
  }
  CW_MM_AMX_PRODUCT(0, 0, 3, 6);
  CW_MM_AMX_PRODUCT(0, 1, 4, 6);
  CW_MM_AMX_PRODUCT(0, 2, 5, 6);
  if (multiplies)
    _tile_loadd(7, s->B[before][1], row);
  CW_MM_AMX_PRODUCT(1, 0, 3, 7);
  CW_MM_AMX_PRODUCT(1, 1, 4, 7);
  CW_MM_AMX_PRODUCT(1, 2, 5, 7);
  if (multiplies) {
    _tile_loadd(6, s->B[before][2], row);
    cw_mm_amx_load_rows(tiles, shape.height, s->A[before % 2][1]);
  }
  CW_MM_AMX_PRODUCT(2, 0, 3, 6);
  CW_MM_AMX_PRODUCT(2, 1, 4, 6);
  CW_MM_AMX_PRODUCT(2, 2, 5, 6);
}
#undef CW_MM_AMX_PRODUCT

/* Sums of a group of tiles into the registers: zero at a bin's first batch. */
CW_BODY void cw_mm_amx_begin(int tiles, int height, int first, float (*sums)[AMX_LANES]) {
  __asm__ volatile("" ::: "memory");
  if (first) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    return;
  }
  _tile_loadd(0, sums, sizeof *sums);
  if (tiles > 1)
    _tile_loadd(1, sums + height, sizeof *sums);
  if (tiles > 2)
    _tile_loadd(2, sums + 2 * height, sizeof *sums);
}

/* And back; the registers keep them. */
CW_BODY void cw_mm_amx_end(int tiles, int height, float (*sums)[AMX_LANES]) {
  _tile_stored(0, sums, sizeof *sums);
  if (tiles > 1)
    _tile_stored(1, sums + height, sizeof *sums);
  if (tiles > 2)
    _tile_stored(2, sums + 2 * height, sizeof *sums);
}

/* The unit sleeps after some 700 cycles without a product and takes 1,000 to wake: a product that
 * nobody reads, in a register that is loaded before it is used. */
CW_BODY void cw_mm_amx_stay_awake(void) {
  _tile_dpbf16ps(5, 3, 6);
}

/* Factors of the particles of step `step`, for A, and as they are the columns for B. */
CW_BODY void cw_mm_amx_form_factors(int dim, int order, int columns, const cw_mm_job *job, int step,
                                    cw_scratch *s) {
  const int at = step * AMX_LANES;
  cw_mm_columns_f32(dim, order, columns, job, at, s);
  cw_mm_factors_f32(dim, order, 0, at, s);
  for (int i = 0; columns == 1 && dim == 3 && i < 2 * order + 1;
       i++) { /* q times moments along x */
    const __m512 q = _mm512_loadu_ps(s->column[0] + at);
    _mm512_storeu_ps(s->slow[i] + at, _mm512_mul_ps(q, _mm512_loadu_ps(s->slow[i] + at)));
  }
}

/* Adds a batch of n particles to a bin's sums. If all tiles fit in the registers, they stay there
 * from the bin's first batch to its last. */
CW_BODY void cw_mm_amx_sum_batch(int dim, int order, int columns, const cw_mm_job *job, int n,
                                 int first, int last, float (*sums)[AMX_LANES],
                                 cw_mm_amx_scratch *s) {
  const cw_mm_amx_shape shape = cw_mm_amx_get_shape(dim, order, columns);
  const int steps = (n + AMX_LANES - 1) / AMX_LANES, height = shape.height;
  const int tiles = shape.slow * shape.parts, most = tiles <= AMX_GROUP ? tiles : shape.parts;
  for (int tile = 0; tile < tiles; tile += most) {
    float(*to)[AMX_LANES] = sums + tile * height;
    if (first || most < tiles)
      cw_mm_amx_begin(most, height, first, to);
    for (int step = 0; step < steps; step++) {
      if (tile == 0)
        cw_mm_amx_form_factors(dim, order, columns, job, step, &s->particles);
      if (step == 0)
        cw_mm_amx_step(shape, tile, most, step, 1, 0, s);
      else
        cw_mm_amx_step(shape, tile, most, step, 1, 1, s);
      if (tile == 0)
        cw_mm_amx_form_columns(columns == 1 && dim == 3 ? s->particles.slow : s->particles.column,
                               shape.wide, step, s);
    }
    cw_mm_amx_step(shape, tile, most, steps, 0, 1, s);
    if (last || most < tiles)
      cw_mm_amx_end(most, height, to);
  }
}

CW_BODY void cw_mm_amx_sum_bin(int dim, int order, int columns, const cw_mm_job *job,
                               const int32_t *bin, cw_mm_cursor_f32 cursor,
                               float (*sums)[AMX_LANES], cw_mm_amx_scratch *s) {
  if (columns > 1)
    cw_mm_read_field_f32(dim, order, job, bin, &s->particles);
  cw_mm_amx_stay_awake();
  for (int first = 1; cursor.run < cursor.end; first = 0) {
    const int n = cw_mm_read_batch_f32(dim, order, columns, job, &cursor, &s->particles);
    const int last = cursor.run == cursor.end;
    cw_mm_amx_stay_awake();
    cw_mm_amx_sum_batch(dim, order, columns, job, n, first, last, sums, s);
  }
}

/* Lanes [begin, begin + LANES) of C of LANES bins as moments: a vector over the bins each. */
CW_BODY void cw_mm_amx_moments(cw_mm_amx_shape shape, int columns, int begin,
                               float (*const *sums)[AMX_LANES], cw_mm_amx_scratch *s) {
  const int rows = shape.parts * shape.height; /* for each moment along x */
  cw_lane square[LANES];
  for (int i = 0; i < shape.slow; i++)
    for (int k = 0; k < shape.plane; k++) {
      for (int l = 0; l < LANES; l++)
        square[l] = cw_mm_load_lanes_f32(sums[l][rows * i + k] + begin);
      cw_mm_transpose_lanes_f32(square);
      for (int c = 0; c < LANES && begin + c < shape.wide; c++) {
        if (columns == 1)
          s->moment[0][c + shape.wide * k] = square[c];
        else
          s->moment[c][i + shape.slow * k] = square[c];
      }
    }
}

/* LANES bins; those behind the last of a row are empty ones. */
CW_BODY void cw_mm_amx_sum_bins(int dim, int order, int columns, const cw_mm_job *job,
                                const cw_mm_walk_f32 *walk, cw_mm_amx_scratch *s) {
  const cw_mm_amx_shape shape = cw_mm_amx_get_shape(dim, order, columns);
  const int64_t node = cw_mm_first_node_f32(dim, order, job, walk->bin);
  float(*sums[LANES])[AMX_LANES];
  for (int l = 0; l < LANES; l++) {
    const cw_mm_cursor_f32 cursor = cw_mm_walk_bin_f32(job, walk, l);
    const int32_t bin[3] = {walk->bin[0] + l, walk->bin[1], walk->bin[2]};
    sums[l] = cursor.run < cursor.end ? s->sums[l] : s->none;
    if (cursor.run < cursor.end)
      cw_mm_amx_sum_bin(dim, order, columns, job, bin, cursor, sums[l], s);
  }
  for (int begin = 0; begin < shape.wide; begin += LANES) {
    cw_mm_amx_moments(shape, columns, begin, sums, s);
    for (int c = begin; c < begin + LANES && c < columns; c++) {
      cw_mm_amx_stay_awake();
      cw_mm_write_moments_f32(dim, order, job, c, node, walk->bins, s->moment[c - begin]);
    }
  }
}

CW_BODY void cw_mm_amx_slab(int dim, int order, int columns, const cw_mm_job *job, int32_t first,
                            int32_t last, cw_mm_amx_scratch *s) {
  cw_mm_walk_f32 walk;
  cw_mm_walk_begin_f32(job, first, last, &walk);
  cw_mm_amx_configure(cw_mm_amx_get_shape(dim, order, columns).height);
  while (cw_mm_walk_next_f32(job, &walk))
    cw_mm_amx_sum_bins(dim, order, columns, job, &walk, s);
  _tile_release();
}

#define CW_MM_AMX_SLAB(name, dim, order, columns)                                                  \
  static void name(const cw_mm_job *job, int32_t first, int32_t last, void *scratch) {             \
    cw_mm_amx_slab(dim, order, columns, job, first, last, scratch);                                \
  }
#define CW_MM_AMX_SLABS(dim, order)                                                                \
  CW_MM_AMX_SLAB(cw_mm_amx_##dim##_##order##_1, dim, order, 1)                                     \
  CW_MM_AMX_SLAB(cw_mm_amx_##dim##_##order##_13, dim, order, 13)
CW_MM_AMX_SLABS(1, 1)
CW_MM_AMX_SLABS(2, 1)
CW_MM_AMX_SLABS(3, 1)
CW_MM_AMX_SLABS(1, 2)
CW_MM_AMX_SLABS(2, 2)
CW_MM_AMX_SLABS(3, 2)
#undef CW_MM_AMX_SLABS
#undef CW_MM_AMX_SLAB
