/**
 * A Nest application with two routes, which return a constant as large as a status answer. One of
 * them takes an upload with Multer, as Nest's documentation does it.
 */
import 'reflect-metadata';
import { Controller, Get, Module, Post, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FileInterceptor, type NestExpressApplication } from '@nestjs/platform-express';

import { obey } from '../process/commands.js';
import { listen } from './listen.js';

const RECORD = {
  requestId: '01a1fbe9-8d12-7e37-8444-47b183ed8e35',
  status: 'succeeded',
  prevStatus: 'ingested',
  reason: null,
  createdAt: '2026-11-21T02:22:29',
  updatedAt: '2026-11-21T02:22:29',
};

@Controller()
class ConstantController {
  @Get('constant')
  constant(): typeof RECORD {
    return RECORD;
  }

  @Post('custom-data-upload/v1.0/cost/requests')
  @UseInterceptors(FileInterceptor('file'))
  upload(): typeof RECORD {
    return RECORD;
  }
}

@Module({ controllers: [ConstantController] })
class ConstantModule {}

const commands = {
  /** @returns the port */
  async start(): Promise<number> {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares these options as a class and takes plain objects
    const app = await NestFactory.create<NestExpressApplication>(ConstantModule, {
      logger: false,
      bodyParser: false,
    });
    // The service disables these two as well.
    app.disable('x-powered-by');
    app.disable('etag');
    await app.init();
    return listen(app.getHttpServer());
  },
};

export type NestConstantCommands = typeof commands;

obey(commands);
