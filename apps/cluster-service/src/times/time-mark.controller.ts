import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { ServiceRequest, TimeMarkReply } from '@stave/contracts';
import { TimeMarks } from './time-marks.js';

@Controller()
export class TimeMarkController {
  constructor(private readonly marks: TimeMarks) {}

  @MessagePattern('time-mark.lookup')
  async lookup({ body }: ServiceRequest<{ readonly time: string }>): Promise<TimeMarkReply> {
    return { mark: (await this.marks.before(body.time)) ?? null };
  }
}
