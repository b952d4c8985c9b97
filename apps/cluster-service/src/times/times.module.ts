import { Module } from '@nestjs/common';
import { TimeMarkController } from './time-mark.controller.js';
import { TimeMarks } from './time-marks.js';

/** Marks of the event log, from which gateways find positions by times. */
@Module({ controllers: [TimeMarkController], providers: [TimeMarks] })
export class TimesModule {}
