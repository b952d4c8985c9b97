import { Module } from '@nestjs/common';
import { SlotSubscriptions } from './slot-subscriptions.js';
import { SlotTableClient } from './slot-table.client.js';

/** Follows the slot table and subscribes to the subjects of the held slots. */
@Module({ providers: [SlotSubscriptions, SlotTableClient], exports: [SlotSubscriptions, SlotTableClient] })
export class RingModule {}
