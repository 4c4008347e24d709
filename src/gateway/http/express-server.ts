import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';

/**
 * Serves an Express application with requests and responses that have its prototypes from the
 * start.
 *
 * Express would change the prototype of each. V8 then gives each a hidden class of its own, which
 * no inline cache knows: see docs/decisions/hidden-classes. Nest's options for the server
 * (`httpsOptions` and others) are not supported.
 */
export class ExpressServer extends ExpressAdapter {
  override initHttpServer(): void {
    class Request extends IncomingMessage {}
    class Response extends ServerResponse {}
    const application = this.getInstance<Express>();
    const { request, response } = application;
    Object.setPrototypeOf(Request.prototype, request);
    Object.setPrototypeOf(Response.prototype, response);
    application.request = Request.prototype as typeof request;
    application.response = Response.prototype as typeof response;
    this.httpServer = createServer(
      { IncomingMessage: Request, ServerResponse: Response },
      application,
    );
  }
}
