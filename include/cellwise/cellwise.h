/* Everything that libcellwise offers. */
#ifndef CELLWISE_CELLWISE_H
#define CELLWISE_CELLWISE_H

#include <cellwise/cells.h>
#include <cellwise/context.h>
#include <cellwise/coordination.h>
#include <cellwise/deposit.h>
#include <cellwise/grid.h>
#include <cellwise/massmatrix.h>
#include <cellwise/memory.h>
#include <cellwise/particles.h>
#include <cellwise/push.h>
#include <cellwise/random.h>
#include <cellwise/status.h>
#include <cellwise/version.h>

#endif
