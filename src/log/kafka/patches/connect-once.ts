import Connection from 'kafkajs/src/network/connection.js';

/**
 * Fixes kafkajs 2.2.4 in this process: two requests at once over a connection that is not open
 * yet make two sockets, and kafkajs forgets the first. It stays open and keeps the process alive.
 */
export function mendConnecting(): void {
  const { connect } = Connection.prototype;
  const connecting = new WeakMap<Connection, Promise<true>>();
  Connection.prototype.connect = function (this: Connection): Promise<true> {
    let attempt = connecting.get(this);
    if (attempt === undefined) {
      attempt = connect.call(this).finally(() => connecting.delete(this));
      connecting.set(this, attempt);
    }
    return attempt;
  };
}
