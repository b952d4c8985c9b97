import { Controller } from '@nestjs/common';
import { whoamiRoute } from '../routes/index.js';
import { ok, type Answer } from './answer.js';
import { FromCall, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class WhoamiController {
  @Handles(whoamiRoute)
  whoami(@FromCall() call: Call): Answer {
    const { keyId, role, project } = call.meta.actor;
    return ok({ keyId, role, project });
  }
}
