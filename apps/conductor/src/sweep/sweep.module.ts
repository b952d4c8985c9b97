import { Module } from '@nestjs/common';
import { OrphanSweep } from './orphan-sweep.js';

/** Removes orphans from the infrastructure. */
@Module({ providers: [OrphanSweep], exports: [OrphanSweep] })
export class SweepModule {}
