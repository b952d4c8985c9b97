import { Module } from '@nestjs/common';
import { PolicyProjection } from '@stave/service-kit';

/** What policies there are, for those that placement depends on and for those that placement is asked by. */
@Module({ providers: [PolicyProjection], exports: [PolicyProjection] })
export class PolicyProjectionModule {}
