/* Tiles of matrix units, C += A B: the shapes that kernels of every engine are written for.
 *
 *   name    rows  columns  depth  lanes  operands, sums             held as
 *   MMA     16    8        8      32     FP64, FP64 or TF32, FP32   a warp's registers: matrix_tile.cuh
 *   AMX     16    16       32     16     BF16, FP32                 a CPU's tile registers (Intel)
 *   VECTOR  8     1        1      8      FP64 or FP32, the same     a CPU's vector registers
 *
 * AMX: a register is up to 16 rows of 64 bytes, 16 lanes of 32 bits, loaded from memory. Lane l of
 * row r holds
 *   A  r of A, depths 2 l (its lower half) and 2 l + 1
 *   B  column l of B, depths 2 r (its lower half) and 2 r + 1
 *   C  row r, column l
 * A product takes about as many cycles as A has rows.
 *
 * VECTOR: lane r holds row r of A and of C; B's one value is broadcast to all lanes; the product is
 * one fused multiply-add. A processor with shorter vectors takes two or four of them for a tile.
 *
 * Kernels take rows, columns and depth from here and index by the lane maps; a unit with another
 * shape (AMD's 16 x 16 x 4 FP64) is one more row and one more lane map. */
#ifndef CW_KERNELS_MATRIX_TILE_H
#define CW_KERNELS_MATRIX_TILE_H

#define CW_MATRIX_TILES(TILE)                                                                      \
  TILE(MMA, 16, 8, 8, 32)                                                                          \
  TILE(AMX, 16, 16, 32, 16)                                                                        \
  TILE(VECTOR, 8, 1, 1, 8)

/* CW_TILE_MMA_ROWS, CW_TILE_MMA_COLUMNS, ... */
#define CW_MATRIX_TILE_SHAPE(name, rows, columns, depth, lanes)                                    \
  CW_TILE_##name##_ROWS = rows, CW_TILE_##name##_COLUMNS = columns,                                \
  CW_TILE_##name##_DEPTH = depth, CW_TILE_##name##_LANES = lanes,
enum { CW_MATRIX_TILES(CW_MATRIX_TILE_SHAPE) };
#undef CW_MATRIX_TILE_SHAPE

#endif
