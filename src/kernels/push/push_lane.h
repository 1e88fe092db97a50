/* A lane type: one real number, or a vector register of them, so that push_body.h is written once
 * for both. Included by push_cpu.c, with base/real.h in force and CW_LANE_IS_VECTOR set, before
 * each inclusion of a file that computes in lanes:
 *   cw_lane        CW_LANES real numbers             cw_lane_mask   result of comparing lanes
 *   cw_lane_cell   CW_LANES cell indices (int32_t)   cw_lane3       three components in lanes
 * Vectors are the compiler's own (vector_size): +, -, *, / and comparisons work lane by lane. */
#undef cw_lane
#undef cw_lane_mask
#undef cw_lane_cell
#undef cw_mask_item
#undef cw_lane3
#undef CW_LANES
#undef CW_LANE_NAME
#undef CW_LANE_SELECT
#undef CW_LANE_TO_CELL
#undef CW_LANE_OF_CELLS

#ifndef CW_BODY
#define CW_BODY static inline __attribute__((always_inline))
#endif

#ifndef CW_VECTOR_BYTES
#if defined(__AVX512F__)
#define CW_VECTOR_BYTES 64
#elif defined(__AVX__)
#define CW_VECTOR_BYTES 32
#else
#define CW_VECTOR_BYTES 16
#endif
#endif

#if CW_LANE_IS_VECTOR
#define CW_LANE_NAME(name) CW_REAL_NAME(name##_lanes)
#define CW_LANES           ((int)(CW_VECTOR_BYTES / sizeof(cw_real)))
#define cw_mask_item       cw_int_of_real
typedef cw_real CW_LANE_NAME(cw_lane_type) __attribute__((vector_size(CW_VECTOR_BYTES)));
typedef cw_int_of_real CW_LANE_NAME(cw_mask_type) __attribute__((vector_size(CW_VECTOR_BYTES)));
typedef int32_t CW_LANE_NAME(cw_cell_type)
    __attribute__((vector_size(CW_VECTOR_BYTES / sizeof(cw_real) * sizeof(int32_t))));
#define CW_LANE_SELECT(mask, yes, no)                                                              \
  ((cw_lane)(((mask) & (cw_lane_mask)(yes)) | (~(mask) & (cw_lane_mask)(no))))
#define CW_LANE_OF_CELLS(cells) __builtin_convertvector((cells), cw_lane_mask)
#define CW_LANE_TO_CELL(lane)   __builtin_convertvector((lane), cw_lane_cell)
#else
#define CW_LANE_NAME(name)            CW_REAL_NAME(name##_one)
#define CW_LANES                      1
#define cw_mask_item                  int
typedef cw_real CW_LANE_NAME(cw_lane_type);
typedef int CW_LANE_NAME(cw_mask_type);
typedef int32_t CW_LANE_NAME(cw_cell_type);
#define CW_LANE_SELECT(mask, yes, no) ((mask) ? (yes) : (no))
#define CW_LANE_TO_CELL(lane)         ((int32_t)(lane))
#endif
#define cw_lane      CW_LANE_NAME(cw_lane_type)
#define cw_lane_mask CW_LANE_NAME(cw_mask_type)
#define cw_lane_cell CW_LANE_NAME(cw_cell_type)
#define cw_lane3     CW_LANE_NAME(cw_lane3_type)

typedef struct cw_lane3 {
  cw_lane x, y, z;
} cw_lane3;

CW_BODY cw_lane CW_LANE_NAME(cw_splat)(cw_real value) {
#if CW_LANE_IS_VECTOR
  return value - (cw_lane){0};
#else
  return value;
#endif
}

CW_BODY cw_lane CW_LANE_NAME(cw_sqrt)(cw_lane square) {
#if CW_LANE_IS_VECTOR
  cw_lane root = square; /* set whole: gcc warns of lanes set one by one */
  for (int l = 0; l < CW_LANES; l++)
    root[l] = CW_SQRT(square[l]);
  return root;
#else
  return CW_SQRT(square);
#endif
}

/* The first `n` lanes from memory, zero in the others. */
CW_BODY cw_lane CW_LANE_NAME(cw_load)(const cw_real *from, int n) {
  cw_lane lane = {0};
  if (CW_LANES == 1 || n == CW_LANES)
    memcpy(&lane, from, sizeof lane);
  else
    memcpy(&lane, from, (size_t)n * sizeof *from);
  return lane;
}

CW_BODY void CW_LANE_NAME(cw_store)(cw_real *to, cw_lane lane, int n) {
  if (CW_LANES == 1 || n == CW_LANES)
    memcpy(to, &lane, sizeof lane);
  else
    memcpy(to, &lane, (size_t)n * sizeof *to);
}

CW_BODY cw_lane_cell CW_LANE_NAME(cw_load_cell)(const int32_t *from, int n) {
  cw_lane_cell lane = {0};
  if (CW_LANES == 1 || n == CW_LANES)
    memcpy(&lane, from, sizeof lane);
  else
    memcpy(&lane, from, (size_t)n * sizeof *from);
  return lane;
}

CW_BODY void CW_LANE_NAME(cw_store_cell)(int32_t *to, cw_lane_cell lane, int n) {
  if (CW_LANES == 1 || n == CW_LANES)
    memcpy(to, &lane, sizeof lane);
  else
    memcpy(to, &lane, (size_t)n * sizeof *to);
}

CW_BODY cw_lane_cell CW_LANE_NAME(cw_add_cells)(cw_lane_cell i, cw_lane_cell crossed) {
#if CW_LANE_IS_VECTOR
  return i + crossed;
#else
  return (int32_t)((uint32_t)i + (uint32_t)crossed); /* wraps: a wrong cell is found elsewhere */
#endif
}

CW_BODY int CW_LANE_NAME(cw_all_lanes)(cw_lane_mask mask) {
#if CW_LANE_IS_VECTOR
  int all = 1;
  for (int l = 0; l < CW_LANES; l++)
    all &= mask[l] != 0;
  return all;
#else
  return mask != 0;
#endif
}
