/* The mass matrix in a build without code for AMX: no matrix has `amx`. */
#include "kernels/massmatrix/massmatrix_private.h"

const cw_mm_amx_ops cw_mm_amx_ops_table = {0};
