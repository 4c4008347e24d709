import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { openQueryServer, type TestQueryServer } from './query-server-fixture.js';

/** What the file and the address hold; no answer may. */
export const SECRET = 'this-stays-outside';

/** A query server, and what its queries must not reach: a file, a place for another, an address. */
export class ForbiddenPlaces {
  readonly secret: string;
  readonly target: string;
  /** Requests that the address was sent. */
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

  /** The query with the places in it, in place of `SECRET`, `TARGET` and `ADDRESS`. */
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
