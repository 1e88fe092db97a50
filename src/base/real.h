/* One body for float and double: a file that holds code of either precision is included twice by
 * its launcher, with CW_REAL_IS_DOUBLE 0 and 1, and names its functions CW_REAL_NAME(name). */
#undef cw_real
#undef cw_int_of_real
#undef CW_REAL_NAME
#if CW_REAL_IS_DOUBLE
#define cw_real            double
#define cw_int_of_real     int64_t
#define CW_REAL_NAME(name) name##_f64
#else
#define cw_real            float
#define cw_int_of_real     int32_t
#define CW_REAL_NAME(name) name##_f32
#endif
