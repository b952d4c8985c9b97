import { Controller } from '@nestjs/common';
import { whoamiRoute } from '../routes/access.routes.js';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, type Call } from '../http/call.js';

@Controller()
export class WhoamiController {
  @Handles(whoamiRoute)
  whoami(@FromCall() call: Call): Answer {
    const { keyId, role, project } = call.meta.actor;
    return ok({ keyId, role, project });
  }
}
