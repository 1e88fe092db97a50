/* External fields evaluated on the device against muParser's on the host: every function and
 * operator, points that differ along some axes only, deep stacks, values that are not finite. */
#include "base/device.h"
#include "engine/engine_private.h"
#include "engine_twins.h"
#include "setup/external.h"

/* Largest difference of the device's component from the host's, relative to each value. */
static double difference(twin *device, const cw_external *external, int field, double t) {
  const cw_grid *grid = cw_engine_grid(device->engine);
  const size_t bytes = (size_t)grid->points * sizeof(double);
  double *expected = malloc(bytes), *found = malloc(bytes), most = 0;
  const double *value[6];
  memset(expected, 0xff, bytes);
  plain_ok(device->context, cw_engine_external(device->engine, t, value));
  plain_ok(device->context, cw_external_fill(external, grid, field, t, expected));
  plain_check(value[field] != NULL, "component %d is missing", field);
  if (value[field])
    plain_ok(device->context, cw_device_read(device->context, found, value[field], bytes));
  for (int64_t n = 0; n < grid->points && value[field]; n++) {
    const double error = fabs(found[n] - expected[n]);
    if (error > most * fabs(expected[n]) || isnan(error))
      most = error / fabs(expected[n]);
  }
  free(expected), free(found);
  return most;
}

/* The external fields' expressions `text`, three of E and the same three of B. */
static void check(cw_context *context, int dim, const char *const text[3]) {
  char deck[TWIN_DECK], setup[TWIN_DECK / 2];
  snprintf(setup, sizeof setup,
           "external_E = [\"%s\", \"%s\", \"%s\"]\nexternal_B = [\"%s\", \"%s\", \"%s\"]\n",
           text[0], text[1], text[2], text[0], text[1], text[2]);
  const twin_case c = {
      .dim = dim, .deposit = TWIN_TILED, .interval = 1, .order = 2, .setup = setup};
  twin_deck(&c, deck);
  twin device = twin_open(context, "external", deck, NULL, 0);
  cw_external *external = NULL;
  if (device.engine)
    plain_ok(context, cw_external_create(context, device.deck, "external", 0, &external));
  for (int field = 0; field < 6 && external; field++)
    for (int k = 0; k < 2; k++) {
      /* CUDA's functions are good to 5 units of the last place, muParser's to one */
      const double error = difference(&device, external, field, 0.375 + k);
      plain_check(error <= 1e-14, "%dD, component %d, time %d: %.2e: %s", dim, field, k, error,
                  text[field % 3]);
    }
  cw_external_destroy(external);
  twin_close(&device);
}

/* Where the function is defined over the box: arguments of order 1. */
static const char *argument(const char *function) {
  static const char *const inside[] = {"asin", "acos", "atanh"};
  for (int k = 0; k < 3; k++)
    if (strcmp(function, inside[k]) == 0)
      return "0.05 * x - 0.04 * y + 0.1 * sin(t) + 0.11";
  return strcmp(function, "acosh") == 0 ? "2 + x + t" : "0.3 * x - 0.2 * y + 0.1 * sin(t) + 1.3";
}

static void every_function(cw_context *context) {
  char text[3][256];
  const char *const texts[3] = {text[0], text[1], text[2]};
  int used = 0;
  for (const cw_expression_function *f = cw_expression_functions; f->name; f++) {
    const char *x = argument(f->name);
    if (f->least == 2 || f->most > 2)
      snprintf(text[used++], sizeof text[0], "%s(%s, 0.7 + 0.2 * y%s)", f->name, x,
               f->most > 2 ? ", 1.1 - 0.1 * x, t + 0.8" : "");
    else
      snprintf(text[used++], sizeof text[0], "%s(%s)", f->name, x);
    if (f[1].name && used < 3)
      continue;
    for (; used < 3; used++)
      strcpy(text[used], "t + 1");
    check(context, 2, texts);
    used = 0;
  }
}

static void every_operator_and_shape(cw_context *context) {
  static const char *const texts[][3] = {
      {"x + y - t * 3 / (1.5 + y)", "(x + 1) ^ (y + 0.5)", "-x^2 - -t"},
      {"x < y ? t : 2 * t", "(x <= y) + 2 * (x >= y) + 4 * (x == y) + 8 * (x != y) + t",
       "x > 1 && y > 1 || t < 1 ? x + 1 : -1"},
      {"1 + t", "2", "cos(pi * t) + y"},       /* one point, a number, a column */
      {"x * t", "0.1 * x + 1", "y - t + 10"}}; /* rows and columns */
  static const char *const solid[][3] = {{"x * y * z + t", "z - 3 * t", "x + z + 1"},
                                         {"y + z * t + 1", "t + 1", "z + 2"}};
  for (int k = 0; k < 4; k++)
    check(context, 2, texts[k]);
  check(context, 3, solid[0]);
  check(context, 3, solid[1]);
  check(context, 1, (const char *const[]){"x + t + 1", "1 + t", "exp(-x)"});
}

/* 100 values wait on the stack: more than a thread has itself. */
static void a_deep_stack(cw_context *context) {
  char deep[512] = "x / 10 + 1";
  for (int k = 0; k < 100; k++)
    strcat(deep, "^y");
  check(context, 2, (const char *const[]){deep, "x + t + 1", "1"});
}

/* Found by a later wait, and told with component, place and the first time it was so. */
static void a_value_that_is_not_finite_is_told_with_place_and_time(cw_context *context) {
  const twin_case c = {.dim = 2,
                       .deposit = TWIN_TILED,
                       .interval = 0, /* nothing waits in between */
                       .order = 2,
                       .setup = "external_B = [0, \"t < 0.2 || t > 9 ? x : log(x - 9)\", \"t\"]\n"};
  char text[TWIN_DECK];
  twin_deck(&c, text);
  twin device = twin_open(context, "not finite", text, NULL, 0);
  const cw_status status = twin_try_steps(&device, 40);
  plain_check(status == CW_ERROR_INPUT, "%s", cw_status_name(status));
  const char *message = cw_context_message(context), *at = strstr(message, "t = ");
  plain_check(strstr(message, "setup.external_B[2] is nan at x = ") != NULL, "'%s'", message);
  const double dt = device.deck ? device.deck->dt : 0, t = at ? atof(at + 4) : -1;
  plain_check(t >= 0.2 && t < 0.2 + dt, "the first time is %g, dt %g: '%s'", t, dt, message);
  twin_close(&device);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(every_function), PLAIN_CASE(every_operator_and_shape), PLAIN_CASE(a_deep_stack),
      PLAIN_CASE(a_value_that_is_not_finite_is_told_with_place_and_time)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
