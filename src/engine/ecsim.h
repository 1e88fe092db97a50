/* What only the energy-conserving engine can tell. */
#ifndef CW_ENGINE_ECSIM_H
#define CW_ENGINE_ECSIM_H

#include "engine/engine.h"
#include "fields/ecsim.h"

/* Fields of an engine made from a deck with engine = "ecsim"; NULL for others. */
cw_ecsim_fields *cw_engine_ecsim_fields(const cw_engine *engine);
/* How the last step's field equation was solved. */
cw_ecsim_report cw_engine_ecsim_report(const cw_engine *engine);

#endif
