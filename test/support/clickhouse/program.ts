/**
 * A process that acts as a ClickHouse server. It takes its options as JSON and prints two ports as
 * JSON: one for clients, and one to control the faults (`PUT /fault`, `DELETE /fault`, `POST
 * /refuse`, `POST /accept`, `GET /counts`). It exits with its parent.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Engine } from './engine.js';
import type { Fault } from './faults.js';
import { ClickHouseServer, type Tls } from './server.js';

export interface ProgramOptions {
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly tls?: Tls;
  /** The server's configuration, as XML. */
  readonly config?: string;
}

const options = JSON.parse(process.argv[2]!) as ProgramOptions;
const engine = await Engine.open(options.folder, options.config);
const server = new ClickHouseServer(engine, options, options.tls);

// Keeps idle connections open: a test may compute for seconds between two commands.
const control = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  void (async () => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    switch (`${request.method!} ${request.url!}`) {
      case 'PUT /fault':
        server.faults.set(JSON.parse(body) as Fault);
        break;
      case 'DELETE /fault':
        server.faults.set(undefined);
        break;
      case 'POST /refuse':
        await server.refuse();
        break;
      case 'POST /accept':
        await server.accept();
        break;
    }
    const { requests, inserts, faults } = server;
    response.end(JSON.stringify({ requests, inserts, struck: faults.struck }));
  })();
});
control.listen(0, '127.0.0.1');
await once(control, 'listening');

const port = await server.accept(options.port);
const ports = { port, control: (control.address() as AddressInfo).port };
process.stdout.write(`${JSON.stringify(ports)}\n`);

process.stdin.resume();
process.stdin.on('end', () => process.exit());
