import { All, Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { methodNotAllowed, nothingHere } from '../http/problem.js';
import { type ConsoleFile, readConsoleFiles } from './console-files.js';

/**
 * Nothing from other origins, nothing inline, and no frame around the page: a foreign script could
 * use the token that was pasted there. `wasm-unsafe-eval` is for the file check.
 */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Validated on each load: modules of two builds do not fit together.
  'Cache-Control': 'no-cache',
};

/** The upload console, a page without a token of its own: it calls the API as any client does. */
@Controller('console')
export class ConsoleController {
  private files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

  @Get()
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (request.path.endsWith('/')) {
      await this.file(request, response);
      return;
    }
    // The page's links are relative, so that a proxy may serve it below a path of its own.
    response.writeHead(308, { ...HEADERS, Location: 'console/', 'Content-Length': 0 }).end();
  }

  @Get('*path')
  async file(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { type, body, etag } = await this.find(request);
    response
      .set({ ...HEADERS, ETag: etag })
      .type(type)
      .send(body);
  }

  @All(['', '*path'])
  async otherMethods(@Req() request: Request): Promise<never> {
    await this.find(request);
    throw methodNotAllowed('GET, HEAD');
  }

  /** @throws Problem 404 */
  private async find(request: Request): Promise<ConsoleFile> {
    this.files ??= readConsoleFiles().catch((error: unknown) => {
      this.files = undefined;
      throw error;
    });
    const file = (await this.files).get(request.path.replace(/^\/console\/?/, ''));
    if (file === undefined) throw nothingHere();
    return file;
  }
}
