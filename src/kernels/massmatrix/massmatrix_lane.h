/* Vectors of the instruction set at hand, for the real type of base/real.h in force: LANES numbers
 * each, EIGHT of them for the ROWS of a tile of a product (matrix_tile.h); with AMX as many as its
 * tiles have lanes. No include guard on purpose. */
#undef cw_lane
#undef LANES
#undef EIGHT
#undef ROWS
#undef REGISTERS
#undef CW_MM_LANE

#define ROWS CW_TILE_VECTOR_ROWS
#if defined(CW_MM_AMX)
#define REGISTERS 32
#define LANES     16
#elif defined(__AVX512F__)
#define REGISTERS 32
#define LANES     8
#elif defined(__AVX__)
#define REGISTERS 16
#if CW_REAL_IS_DOUBLE
#define LANES 4
#else
#define LANES 8
#endif
#else
#define REGISTERS 16
#if CW_REAL_IS_DOUBLE
#define LANES 2
#else
#define LANES 4
#endif
#endif
#define EIGHT (ROWS / LANES)

#define CW_MM_LANE(name) CW_REAL_NAME(name##_lanes)
#define cw_lane          CW_MM_LANE(cw_mm_lane)
typedef cw_real cw_lane __attribute__((vector_size(LANES * sizeof(cw_real))));

CW_BODY cw_lane CW_MM_LANE(cw_mm_load)(const cw_real *from) {
  cw_lane lane;
  memcpy(&lane, from, sizeof lane);
  return lane;
}

CW_BODY void CW_MM_LANE(cw_mm_store)(cw_real *to, cw_lane lane) {
  memcpy(to, &lane, sizeof lane);
}

CW_BODY cw_lane CW_MM_LANE(cw_mm_splat)(cw_real value) {
  return value - (cw_lane){0};
}

/* The lower and the upper halves of two vectors, interleaved. */
#if LANES == 16
#define CW_MM_LOW(a, b)                                                                            \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define CW_MM_HIGH(a, b)                                                                           \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif LANES == 8
#define CW_MM_LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define CW_MM_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif LANES == 4
#define CW_MM_LOW(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define CW_MM_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#else
#define CW_MM_LOW(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define CW_MM_HIGH(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

/* LANES vectors as a square matrix, transposed by log2 LANES perfect shuffles of its rows. */
CW_BODY void CW_MM_LANE(cw_mm_transpose)(cw_lane *square) {
  cw_lane shuffled[LANES];
  for (int width = LANES; width > 1; width /= 2) {
    for (int l = 0; l < LANES / 2; l++) {
      shuffled[2 * l] = CW_MM_LOW(square[l], square[l + LANES / 2]);
      shuffled[2 * l + 1] = CW_MM_HIGH(square[l], square[l + LANES / 2]);
    }
    for (int l = 0; l < LANES; l++)
      square[l] = shuffled[l];
  }
}

/* Lane l of the result is the sum over the lanes of vector l. */
CW_BODY cw_lane CW_MM_LANE(cw_mm_totals)(cw_lane *square) {
  for (int width = LANES / 2; width > 0; width /= 2)
    for (int l = 0; l < width; l++)
      square[l] =
          CW_MM_LOW(square[l], square[l + width]) + CW_MM_HIGH(square[l], square[l + width]);
  return square[0];
}
#undef CW_MM_LOW
#undef CW_MM_HIGH
