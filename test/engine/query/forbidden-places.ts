import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { openQueryServer, type TestQueryServer } from './query-server-fixture.js';

/** The content of the file and of the address. No answer may contain it. */
export const SECRET = 'this-stays-outside';

/** A query server and what its queries must not reach: a file, a path to write to, an address. */
export class ForbiddenPlaces {
  readonly secret: string;
  readonly target: string;
  /** Number of requests to the address. */
  visits = 0;
  private readonly elsewhere: Server;

  private constructor(readonly server: TestQueryServer) {
    this.secret = join(server.outside, 'secret.csv');
    this.target = join(server.outside, 'written');
    writeFileSync(this.secret, `${SECRET}\n`);
    this.elsewhere = createServer((_request, response) => {
      this.visits++;
      response.end(`${SECRET}\n`);
    });
  }

  static async open(): Promise<ForbiddenPlaces> {
    const places = new ForbiddenPlaces(await openQueryServer());
    await new Promise<void>((resolve) => places.elsewhere.listen(0, '127.0.0.1', resolve));
    return places;
  }

  get address(): string {
    return `127.0.0.1:${(this.elsewhere.address() as AddressInfo).port}`;
  }

  /** Replaces `SECRET`, `TARGET` and `ADDRESS` in the query with the places. */
  fill(query: string): string {
    return query
      .replaceAll('SECRET', this.secret)
      .replaceAll('TARGET', this.target)
      .replaceAll('ADDRESS', this.address);
  }

  async close(): Promise<void> {
    this.elsewhere.close();
    await this.server.close();
  }
}
