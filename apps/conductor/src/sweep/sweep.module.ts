import { Module } from '@nestjs/common';
import { OrphanSweep } from './orphan-sweep.js';

@Module({ providers: [OrphanSweep], exports: [OrphanSweep] })
export class SweepModule {}
